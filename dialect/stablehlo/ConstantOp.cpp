//===- ConstantOp.cpp - text of constants ---------------------------------===//

#include "common/ConstantText.h"
#include "common/Constants.h"
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
  return mapwright::inferConstantType<ConstantOp>(location, attributes,
                                                  properties, results);
}
