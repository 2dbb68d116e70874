//===- RegionOps.cpp - text of `reduce` and `while` -----------------------===//

#include "common/RegionOpText.h"
#include "mlir/IR/Builders.h"
#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright::stablehlo;

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseReduce(
      parser, result, [](Builder &builder, ArrayRef<int64_t> dims) {
        return builder.getDenseI64ArrayAttr(dims);
      });
}

void ReduceOp::print(OpAsmPrinter &printer) {
  mapwright::printReduce(printer, *this, getDimensions());
}

LogicalResult ReduceOp::verify() {
  return mapwright::verifyReduceStructure(*this);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseWhile(parser, result);
}

void WhileOp::print(OpAsmPrinter &printer) {
  mapwright::printWhile(printer, *this);
}

LogicalResult WhileOp::verify() {
  return mapwright::verifyWhileStructure(*this);
}

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setNameFn) {
  for (BlockArgument argument : region.getArguments())
    setNameFn(argument, "iterArg");
}
