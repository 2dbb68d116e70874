// A C++ program with a pass manager of its own, which holds upstream's passes and ours.

#include "mapwright/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
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
  module->print(llvm::outs());
  return 0;
}
