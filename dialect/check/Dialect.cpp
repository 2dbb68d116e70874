//===- Dialect.cpp - registration of the check dialect --------------------===//

#include "check/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::check;

/// A number that is not negative, as an unsigned attribute.
static ParseResult parseUnsigned(OpAsmParser &parser, unsigned width,
                                 IntegerAttr &number) {
  uint64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  Type type = IntegerType::get(parser.getContext(), width,
                               IntegerType::SignednessSemantics::Unsigned);
  number = IntegerAttr::get(type, APInt(64, value).zextOrTrunc(width));
  return success();
}

ParseResult check::parseUlpDifferences(OpAsmParser &parser, IntegerAttr &max,
                                       IntegerAttr &min) {
  while (succeeded(parser.parseOptionalComma())) {
    bool isMax = succeeded(parser.parseOptionalKeyword("max_ulp_difference"));
    if ((!isMax && parser.parseKeyword("min_ulp_difference")) ||
        parser.parseEqual() || parseUnsigned(parser, 64, isMax ? max : min))
      return failure();
  }
  return success();
}

void check::printUlpDifferences(OpAsmPrinter &printer, Operation *,
                                IntegerAttr max, IntegerAttr min) {
  if (max)
    printer << ", max_ulp_difference = " << max.getValue().getZExtValue();
  if (min)
    printer << ", min_ulp_difference = " << min.getValue().getZExtValue();
}

ParseResult check::parseIteration(OpAsmParser &parser,
                                  IntegerAttr &iteration) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (failed(parser.parseOptionalKeyword("iteration")) &&
      parser.parseKeyword("iter"))
    return failure();
  return failure(parser.parseEqual() || parseUnsigned(parser, 32, iteration));
}

void check::printIteration(OpAsmPrinter &printer, Operation *,
                           IntegerAttr iteration) {
  if (iteration)
    printer << ", iter = " << iteration.getValue().getZExtValue();
}

#include "check/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "check/Ops.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "check/Ops.cpp.inc"
      >();
}
