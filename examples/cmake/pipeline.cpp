// A C++ program with a pass manager of its own, which holds upstream's passes and ours.

#include "mapwright/IndexingMap.h"
#include "mapwright/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

// For each map of `indexing-annotate` a function of its variables that computes the results, with upstream's `affine.apply`; the
// variables' ranges are attributes of the arguments.
static void writeAccessFunctions(mlir::ModuleOp module) {
  mlir::OpBuilder builder(module.getContext());
  llvm::SmallVector<std::pair<mlir::Location, mapwright::MapAttr>> maps;
  module.walk([&](mlir::Operation *op) {
    auto results = op->getAttrOfType<mlir::ArrayAttr>("indexing.output_to_input");
    if (!results)
      return;
    results.walk([&](mlir::Attribute attribute) {
      if (auto map = llvm::dyn_cast<mapwright::MapAttr>(attribute))
        maps.push_back({op->getLoc(), map});
    });
  });
  mlir::Type index = builder.getIndexType();
  for (auto [number, entry] : llvm::enumerate(maps)) {
    auto [location, map] = entry;
    mlir::AffineMap affine = map.getAffineMap();
    if (!affine) {
      llvm::outs() << "map " << number << " has " << map.getPieces()->size() << " pieces\n";
      continue;
    }
    llvm::SmallVector<mlir::Type> arguments(affine.getNumInputs(), index);
    llvm::SmallVector<mlir::Type> results(affine.getNumResults(), index);
    builder.setInsertionPointToEnd(module.getBody());
    auto function = mlir::func::FuncOp::create(builder, location, "access_" + std::to_string(number),
                                               builder.getFunctionType(arguments, results));
    llvm::SmallVector<mapwright::Interval> ranges = map.getDimRanges();
    ranges.append(map.getSymbolRanges());
    for (auto [i, range] : llvm::enumerate(ranges))
      function.setArgAttr(i, "test.range", builder.getI64ArrayAttr({range.lower, range.upper}));
    for (mapwright::MapConstraint constraint : map.getConstraints())
      llvm::outs() << "map " << number << ": " << constraint.expr << " in [" << constraint.interval.lower << ", "
                   << constraint.interval.upper << "]\n";
    mlir::Block *body = function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    llvm::SmallVector<mlir::Value> values;
    for (unsigned i = 0; i < affine.getNumResults(); ++i)
      values.push_back(
          mlir::affine::AffineApplyOp::create(builder, location, affine.getSubMap({i}), body->getArguments()));
    mlir::func::ReturnOp::create(builder, location, values);
  }

  // And the way back: the attribute of an affine map with ranges.
  mlir::AffineExpr d0 = builder.getAffineDimExpr(0), s0 = builder.getAffineSymbolExpr(0);
  auto window = mlir::AffineMap::get(1, 1, d0 * 2 + s0);
  mlir::Location location = module.getLoc();
  auto made = mapwright::MapAttr::get(location, window, 1, {{0, 9}, {0, 2}}, {{d0 + s0, {0, 10}}});
  llvm::outs() << "made: " << made << ", simplified: "
               << mapwright::MapAttr::parse(location, "(d0) -> (d0 mod 16), domain: d0 in [0, 9]").simplify().getText()
               << "\n";
  auto wrong = mapwright::MapAttr::get(location, window, 2, {});
  llvm::outs() << (wrong ? "a map" : "no map") << " of two range variables and one symbol\n";
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::affine::AffineDialect, mlir::arith::ArithDialect>();
  mapwright::insertDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  std::string error;
  if (!mapwright::createPass("indexing-nothing", "", &error))
    llvm::outs() << "no pass: " << error << "\n";

  if (!mapwright::createPass("indexing-annotate", "direction=sideways", &error))
    llvm::outs() << "no pass: " << error << "\n";

  mlir::PassManager manager(&context);
  manager.addPass(mlir::createCanonicalizerPass());
  std::unique_ptr<mlir::Pass> annotate = mapwright::createPass("indexing-annotate", "direction=both", &error);
  if (!annotate) {
    llvm::errs() << error << "\n";
    return 1;
  }
  manager.addPass(std::move(annotate));
  mapwright::registerPasses();
  if (mlir::failed(mlir::parsePassPipeline("func.func(indexing-annotate{direction=output-to-input})", manager)))
    return 1;
  if (mlir::failed(manager.run(*module)))
    return 1;
  context.loadDialect<mlir::affine::AffineDialect>();
  writeAccessFunctions(*module);
  if (mlir::failed(mlir::verify(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
