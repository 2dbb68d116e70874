//===- Ops.cpp - constants and scans of CHLO ------------------------------===//

#include "chlo/Dialect.h"
#include "common/Constants.h"

#include "mlir/IR/Builders.h"

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
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  SMLoc loc = parser.getCurrentLocation();
  int64_t dimension = 0;
  FunctionType type;
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) ||
      parser.parseColonType(type))
    return failure();
  size_t nInputs = inputs.size(), nInits = inits.size();
  llvm::append_range(inputs, inits);
  if (parser.resolveOperands(inputs, type.getInputs(), loc, result.operands))
    return failure();
  if (type.getNumResults() < nInits)
    return parser.emitError(loc) << "expected a result for each of the "
                                 << nInits << " initial values";
  result.addTypes(type.getResults());
  Builder &builder = parser.getBuilder();
  result.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
  result.addAttribute("operandSegmentSizes",
                      builder.getDenseI32ArrayAttr(
                          {static_cast<int32_t>(nInputs),
                           static_cast<int32_t>(nInits)}));
  result.addAttribute(
      "resultSegmentSizes",
      builder.getDenseI32ArrayAttr(
          {static_cast<int32_t>(type.getNumResults() - nInits),
           static_cast<int32_t>(nInits)}));
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  if (getInits().size() != getCarries().size())
    return printer.printGenericOp(*this, /*printOpName=*/false);
  printer << '(' << getInputs() << ") inits (" << getInits()
          << ") dimension=" << getDimension() << ' ';
  SmallVector<StringRef> elided{"dimension", "operandSegmentSizes",
                                "resultSegmentSizes"};
  if (!getIsReverse())
    elided.push_back("is_reverse");
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

void ScanOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setNameFn) {
  for (auto [index, argument] : llvm::enumerate(region.getArguments()))
    setNameFn(argument, index < getInputs().size() ? "input" : "carry");
}
