//===- OpDirectives.cpp - attributes in pretty operation syntax -----------===//

#include "common/OpDirectives.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

ParseResult mapwright::parseVariadicOperandWithAttribute(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  OpAsmParser::UnresolvedOperand operand;
  while (true) {
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void mapwright::printVariadicOperandWithAttribute(OpAsmPrinter &printer,
                                                  Operation *,
                                                  OperandRange operands) {
  llvm::interleave(
      operands, [&](Value operand) { printer << operand << ','; },
      [&] { printer << ' '; });
}

ParseResult mapwright::parseSliceRangeLists(OpAsmParser &parser,
                                            SliceRangeLists &ranges) {
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(ranges.start.emplace_back()) ||
        parser.parseColon() || parser.parseInteger(ranges.limit.emplace_back()))
      return failure();
    ranges.stride.push_back(1);
    if (failed(parser.parseOptionalColon()))
      return success();
    return parser.parseInteger(ranges.stride.back());
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseRange);
}

void mapwright::printSliceRangeLists(OpAsmPrinter &printer,
                                     ArrayRef<int64_t> start,
                                     ArrayRef<int64_t> limit,
                                     ArrayRef<int64_t> stride) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(start, limit, stride), printer, [&](auto range) {
        auto [from, to, step] = range;
        printer << from << ':' << to;
        if (step != 1)
          printer << ':' << step;
      });
  printer << ']';
}

ParseResult mapwright::parseSliceRanges(OpAsmParser &parser,
                                        DenseI64ArrayAttr &start,
                                        DenseI64ArrayAttr &limit,
                                        DenseI64ArrayAttr &strides) {
  SliceRangeLists ranges;
  if (parseSliceRangeLists(parser, ranges))
    return failure();
  Builder &builder = parser.getBuilder();
  start = builder.getDenseI64ArrayAttr(ranges.start);
  limit = builder.getDenseI64ArrayAttr(ranges.limit);
  strides = builder.getDenseI64ArrayAttr(ranges.stride);
  return success();
}

void mapwright::printSliceRanges(OpAsmPrinter &printer, Operation *,
                                 DenseI64ArrayAttr start,
                                 DenseI64ArrayAttr limit,
                                 DenseI64ArrayAttr strides) {
  printSliceRangeLists(printer, start.asArrayRef(), limit.asArrayRef(),
                       strides.asArrayRef());
}

/// Takes a decimal number off the front of `text`.
static bool takeNumber(StringRef &text, int32_t &number) {
  StringRef digits = text.take_while([](char c) { return llvm::isDigit(c); });
  text = text.drop_front(digits.size());
  return !digits.empty() && !digits.getAsInteger(10, number);
}

ParseResult mapwright::parseExponentMantissa(OpAsmParser &parser,
                                             IntegerAttr &exponent,
                                             IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  StringRef rest = keyword;
  int32_t exponentBits, mantissaBits;
  if (!rest.consume_front("e") || !takeNumber(rest, exponentBits) ||
      !rest.consume_front("m") || !takeNumber(rest, mantissaBits) ||
      !rest.empty())
    return parser.emitError(loc, "expected exponent and mantissa bits such as "
                                 "'e8m23', got '")
           << keyword << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void mapwright::printExponentMantissa(OpAsmPrinter &printer, Operation *,
                                      IntegerAttr exponent,
                                      IntegerAttr mantissa) {
  printer << 'e' << exponent.getValue().getSExtValue() << 'm'
          << mantissa.getValue().getSExtValue();
}

ParseResult mapwright::parseCustomCallTarget(OpAsmParser &parser,
                                             StringAttr &target) {
  return parser.parseSymbolName(target);
}

void mapwright::printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                                      StringAttr target) {
  printer.printSymbolName(target.getValue());
}
