//===- OpDirectives.h - attributes in pretty operation syntax ---*- C++ -*-===//
//
// Custom directives for attributes that operations write in a syntax of their
// own: slice ranges, windows, call targets.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_OPDIRECTIVES_H
#define MAPWRIGHT_COMMON_OPDIRECTIVES_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// custom<VariadicOperandWithAttribute>: operands, each followed by a comma,
/// before a named attribute.
mlir::ParseResult parseVariadicOperandWithAttribute(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printVariadicOperandWithAttribute(mlir::OpAsmPrinter &printer,
                                       mlir::Operation *,
                                       mlir::OperandRange operands);

/// The ranges of a slice, `[start:limit, start:limit:stride]`.
struct SliceRangeLists {
  llvm::SmallVector<int64_t> start, limit, stride;
};
mlir::ParseResult parseSliceRangeLists(mlir::OpAsmParser &parser,
                                       SliceRangeLists &ranges);
void printSliceRangeLists(mlir::OpAsmPrinter &printer,
                          llvm::ArrayRef<int64_t> start,
                          llvm::ArrayRef<int64_t> limit,
                          llvm::ArrayRef<int64_t> stride);

/// custom<SliceRanges>
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser,
                                   mlir::DenseI64ArrayAttr &start,
                                   mlir::DenseI64ArrayAttr &limit,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      mlir::DenseI64ArrayAttr start,
                      mlir::DenseI64ArrayAttr limit,
                      mlir::DenseI64ArrayAttr strides);

/// custom<ExponentMantissa>: `e8m23`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser,
                                        mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);

/// custom<CustomCallTarget>: a string written as a symbol name.
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser &parser,
                                        mlir::StringAttr &target);
void printCustomCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::StringAttr target);

/// custom<EnumWord>: the name of an enumeration's value alone. The attribute's
/// own printer begins with a blank, which would stand beside the operation's.
template <typename EnumAttr>
mlir::ParseResult parseEnumWord(mlir::OpAsmParser &parser, EnumAttr &word) {
  return parser.parseCustomAttributeWithFallback(word);
}
template <typename EnumAttr>
void printEnumWord(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   EnumAttr word) {
  printer << stringifyEnum(word.getValue());
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_OPDIRECTIVES_H
