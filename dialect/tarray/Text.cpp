//===- Text.cpp - tuples, ranges and words in the text of operations ------===//

#include "tarray/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

ParseResult mapwright::tarray::parseTuple(OpAsmParser &parser,
                                          DenseI64ArrayAttr &sizes) {
  SmallVector<int64_t> values;
  auto parseOne = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
    return failure();
  sizes = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void mapwright::tarray::printTuple(OpAsmPrinter &printer, Operation *,
                                   DenseI64ArrayAttr sizes) {
  printer << '(';
  llvm::interleaveComma(sizes.asArrayRef(), printer);
  printer << ')';
}

ParseResult mapwright::tarray::parseSliceRange(OpAsmParser &parser,
                                               DenseI64ArrayAttr &range) {
  if (parser.parseOptionalLSquare())
    return success();
  int64_t start, stride, end;
  if (parser.parseInteger(start) || parser.parseColon() ||
      parser.parseInteger(stride) || parser.parseColon() ||
      parser.parseInteger(end) || parser.parseRSquare())
    return failure();
  range = parser.getBuilder().getDenseI64ArrayAttr({start, stride, end});
  return success();
}

void mapwright::tarray::printSliceRange(OpAsmPrinter &printer, Operation *,
                                        DenseI64ArrayAttr range) {
  if (!range)
    return;
  printer << '[';
  llvm::interleave(range.asArrayRef(), printer, " : ");
  printer << ']';
}

ParseResult mapwright::tarray::parsePool(OpAsmParser &parser, PoolAttr &pool) {
  for (Pool known : {Pool::max, Pool::min, Pool::mean, Pool::sum})
    if (succeeded(parser.parseOptionalKeyword(stringifyPool(known))))
      pool = PoolAttr::get(parser.getContext(), known);
  return success();
}

void mapwright::tarray::printPool(OpAsmPrinter &printer, Operation *,
                                  PoolAttr pool) {
  if (pool)
    printer << stringifyPool(pool.getValue());
}
