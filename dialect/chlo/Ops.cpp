//===- Ops.cpp - constants and scans of CHLO ------------------------------===//

#include "chlo/Dialect.h"
#include "common/Constants.h"
#include "common/ScanText.h"

using namespace mlir;
using namespace mapwright::chlo;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange,
    SmallVectorImpl<Type> &results) {
  return mapwright::inferConstantType<ConstantOp>(location, attributes,
                                                  properties, results);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return mapwright::parseScan(parser, result);
}

void ScanOp::print(OpAsmPrinter &printer) {
  mapwright::printScan(printer, *this);
}

void ScanOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setNameFn) {
  for (auto [index, argument] : llvm::enumerate(region.getArguments()))
    setNameFn(argument, index < getInputs().size() ? "input" : "carry");
}
