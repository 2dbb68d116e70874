//===- ScanText.cpp - text of scans ---------------------------------------===//

#include "common/ScanText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

ParseResult mapwright::parseScan(OpAsmParser &parser, OperationState &result) {
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
      parser.parseRegion(*result.addRegion()) || parser.parseColonType(type))
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
  auto segments = [&](size_t first) {
    return builder.getDenseI32ArrayAttr(
        {static_cast<int32_t>(first), static_cast<int32_t>(nInits)});
  };
  result.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
  result.addAttribute("operandSegmentSizes", segments(nInputs));
  result.addAttribute("resultSegmentSizes",
                      segments(type.getNumResults() - nInits));
  return success();
}
