//===- LegacyDirectives.cpp - text of MHLO operations ---------------------===//

#include "common/LegacyDirectives.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mapwright;

SmallVector<int64_t> mapwright::integersOf(Attribute attr) {
  SmallVector<int64_t> values;
  if (auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attr)) {
    bool isBoolean = elements.getElementType().isInteger(1);
    for (const APInt &value : elements.getValues<APInt>())
      values.push_back(isBoolean ? value.getZExtValue() : value.getSExtValue());
  } else if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attr)) {
    llvm::append_range(values, array.asArrayRef());
  } else if (auto array = dyn_cast_or_null<DenseBoolArrayAttr>(attr)) {
    llvm::append_range(values, array.asArrayRef());
  }
  return values;
}

ParseResult mapwright::parseMaybeParenthesized(
    OpAsmParser &parser, OpAsmParser::UnresolvedOperand &operand) {
  if (failed(parser.parseOptionalLParen()))
    return parser.parseOperand(operand);
  return failure(parser.parseOperand(operand) || parser.parseRParen());
}

void mapwright::printMaybeParenthesized(OpAsmPrinter &printer, Operation *,
                                        Value operand) {
  printer << operand;
}

ParseResult mapwright::parseLegacyWindowAttributes(
    OpAsmParser &parser, Attribute &strides, DenseIntElementsAttr &padding,
    Attribute &lhsDilation, Attribute &rhsDilation, Attribute &reversal) {
  WindowLists window;
  if (parseWindowLists(parser, window))
    return failure();
  Builder &builder = parser.getBuilder();
  if (window.stride)
    strides = builder.getI64TensorAttr(*window.stride);
  if (window.pad)
    padding = paddingAttr(builder, *window.pad);
  if (window.lhsDilate)
    lhsDilation = builder.getI64TensorAttr(*window.lhsDilate);
  if (window.rhsDilate)
    rhsDilation = builder.getI64TensorAttr(*window.rhsDilate);
  if (window.reverse) {
    int64_t size = window.reverse->size();
    reversal = DenseElementsAttr::get(
        RankedTensorType::get({size}, builder.getI1Type()), *window.reverse);
  }
  return success();
}

void mapwright::printLegacyWindowAttributes(
    OpAsmPrinter &printer, Operation *, Attribute strides,
    DenseIntElementsAttr padding, Attribute lhsDilation, Attribute rhsDilation,
    Attribute reversal) {
  WindowLists window;
  window.reverseAsNumbers = true;
  if (strides)
    window.stride = integersOf(strides);
  if (padding)
    window.pad = paddingValues(padding);
  if (lhsDilation)
    window.lhsDilate = integersOf(lhsDilation);
  if (rhsDilation)
    window.rhsDilate = integersOf(rhsDilation);
  if (reversal) {
    window.reverse.emplace();
    for (int64_t value : integersOf(reversal))
      window.reverse->push_back(value != 0);
  }
  printWindowLists(printer, window);
}
