//===- ConstantOp.cpp - text of constants ---------------------------------===//

#include "common/ConstantText.h"
#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright::stablehlo;

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseConstant(parser, result);
}

void ConstantOp::print(OpAsmPrinter &printer) {
  mapwright::printConstant(printer, *this, getValue());
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) {
  setNameFn(getOutput(), mapwright::constantName(getType()));
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange,
    SmallVectorImpl<Type> &results) {
  ElementsAttr value;
  if (properties)
    value = properties.as<Properties *>()->value;
  if (!value && attributes)
    value = attributes.getAs<ElementsAttr>("value");
  if (!value)
    return emitOptionalError(location, "op ", getOperationName(),
                             ": needs an attribute 'value'");
  results.push_back(value.getShapedType());
  return success();
}
