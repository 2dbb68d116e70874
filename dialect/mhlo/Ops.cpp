//===- Ops.cpp - text of MHLO operations ----------------------------------===//

#include "common/ConstantText.h"
#include "common/RegionOpText.h"
#include "common/ScanText.h"
#include "common/StructuralOps.h"
#include "mhlo/Dialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright::mhlo;

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseConstant(parser, result);
}

void ConstantOp::print(OpAsmPrinter &printer) {
  mapwright::printConstant(printer, *this, getValue());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseReduce(
      parser, result, [](Builder &builder, ArrayRef<int64_t> dims) {
        return builder.getI64TensorAttr(dims);
      });
}

void ReduceOp::print(OpAsmPrinter &printer) {
  mapwright::printReduce(printer, *this,
                         mapwright::integersOf(getDimensions()));
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

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseScan(parser, result);
}

void ScanOp::print(OpAsmPrinter &printer) {
  mapwright::printScan(printer, *this);
}

LogicalResult ConvolutionOp::verify() {
  return mapwright::verifyPadding(*this);
}

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getHasSideEffect())
    mapwright::anyEffect(effects);
}
