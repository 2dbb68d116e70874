//===- DimsParameter.cpp - text of attribute parameters -------------------===//

#include "common/DimsParameter.h"

using namespace mlir;

FailureOr<SmallVector<int64_t>> mapwright::parseDims(AsmParser &parser) {
  SmallVector<int64_t> dims;
  auto parseOne = [&]() -> ParseResult {
    return parser.parseInteger(dims.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  return dims;
}

void mapwright::printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

FailureOr<bool> mapwright::parseBool(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("true")))
    return true;
  if (succeeded(parser.parseOptionalKeyword("false")))
    return false;
  return parser.emitError(parser.getCurrentLocation(),
                          "expected 'true' or 'false'");
}

FailureOr<llvm::APFloat> mapwright::parseFloat(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return llvm::APFloat(value);
}
