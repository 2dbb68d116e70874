//===- ContractionDirectives.h - text of products ---------------*- C++ -*-===//
//
// Custom directives of `dot_general`, `dot` and `convolution`. They are
// templates because every dialect has attribute classes of its own.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_CONTRACTIONDIRECTIVES_H
#define MAPWRIGHT_COMMON_CONTRACTIONDIRECTIVES_H

#include "common/DimsParameter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// `[1, 2] x [0, 3]`
inline mlir::ParseResult parseDimsPair(mlir::OpAsmParser &parser,
                                       llvm::SmallVector<int64_t> &lhs,
                                       llvm::SmallVector<int64_t> &rhs) {
  auto first = parseDims(parser);
  if (failed(first) || parser.parseKeyword("x"))
    return mlir::failure();
  auto second = parseDims(parser);
  if (failed(second))
    return mlir::failure();
  lhs = *first;
  rhs = *second;
  return mlir::success();
}

inline void printDimsPair(mlir::OpAsmPrinter &printer,
                          llvm::ArrayRef<int64_t> lhs,
                          llvm::ArrayRef<int64_t> rhs) {
  printDims(printer, lhs);
  printer << " x ";
  printDims(printer, rhs);
}

/// custom<DotDimensionNumbers>:
/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
template <typename DotAttr>
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser &parser,
                                           DotAttr &dims) {
  llvm::SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parser.parseEqual() || parseDimsPair(parser, lhsBatch, rhsBatch) ||
        parser.parseComma())
      return mlir::failure();
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      parseDimsPair(parser, lhsContract, rhsContract))
    return mlir::failure();
  dims = DotAttr::get(parser.getContext(), lhsBatch, rhsBatch, lhsContract,
                      rhsContract);
  return mlir::success();
}

template <typename DotAttr>
void printDotDimensionNumbers(mlir::OpAsmPrinter &printer, mlir::Operation *,
                              DotAttr dims) {
  if (!dims.getLhsBatchingDimensions().empty() ||
      !dims.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDimsPair(printer, dims.getLhsBatchingDimensions(),
                  dims.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimsPair(printer, dims.getLhsContractingDimensions(),
                dims.getRhsContractingDimensions());
}

/// `[DEFAULT, HIGH]`
template <typename PrecisionAttr>
mlir::ParseResult parsePrecisions(mlir::OpAsmParser &parser,
                                  mlir::ArrayAttr &precision) {
  llvm::SmallVector<mlir::Attribute> values;
  auto parseOne = [&]() -> mlir::ParseResult {
    auto value = mlir::FieldParser<PrecisionAttr>::parse(parser);
    if (failed(value))
      return mlir::failure();
    values.push_back(*value);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square,
                                     parseOne))
    return mlir::failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return mlir::success();
}

template <typename PrecisionAttr>
void printPrecisions(mlir::OpAsmPrinter &printer, mlir::ArrayAttr precision) {
  printer << ", precision = [";
  llvm::interleaveComma(
      precision.getAsRange<PrecisionAttr>(), printer,
      [&](PrecisionAttr attr) { printer << stringifyEnum(attr.getValue()); });
  printer << ']';
}

/// custom<ConvolutionDimensions>: `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
template <typename ConvAttr>
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser &parser,
                                             ConvAttr &dims) {
  dims = ConvAttr::parseBody(parser);
  return mlir::success(bool(dims));
}

template <typename ConvAttr>
void printConvolutionDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                ConvAttr dims) {
  dims.printBody(printer);
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_CONTRACTIONDIRECTIVES_H
