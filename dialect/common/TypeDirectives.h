//===- TypeDirectives.h - types in pretty operation syntax ------*- C++ -*-===//
//
// Custom directives of assembly formats that leave types out where the operand
// types say enough.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_TYPEDIRECTIVES_H
#define MAPWRIGHT_COMMON_TYPEDIRECTIVES_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// One type that all operands and results share, or else a functional type.
mlir::ParseResult parseSharedType(mlir::OpAsmParser &parser,
                                  llvm::ArrayRef<mlir::Type *> operands,
                                  mlir::Type &result);
void printSharedType(mlir::OpAsmPrinter &printer,
                     llvm::ArrayRef<mlir::Type> operands, mlir::Type result);

/// custom<SameOperandsAndResultType>: one to four operands and one result.
template <typename... Rest>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser &parser,
                                                 mlir::Type &first,
                                                 Rest &...rest) {
  llvm::SmallVector<mlir::Type *> types{&first, &rest...};
  mlir::Type &result = *types.pop_back_val();
  return parseSharedType(parser, types, result);
}
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer,
                                    mlir::Operation *, Types... types) {
  llvm::SmallVector<mlir::Type> all{types...};
  mlir::Type result = all.pop_back_val();
  printSharedType(printer, all, result);
}

/// custom<VariadicSameOperandsAndResultType>($operands, type($operands),
/// type($result)): one type, or else a functional type.
mlir::ParseResult parseVariadicSameOperandsAndResultType(
    mlir::OpAsmParser &parser,
    llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> operands,
    llvm::SmallVectorImpl<mlir::Type> &operandTypes, mlir::Type &result);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter &printer,
                                            mlir::Operation *op,
                                            mlir::OperandRange operands,
                                            mlir::TypeRange operandTypes,
                                            mlir::Type result);

/// custom<PairwiseOpType>: the list of result types, which are the operand
/// types too, or else a functional type.
mlir::ParseResult
parsePairwiseOpType(mlir::OpAsmParser &parser,
                    llvm::SmallVectorImpl<mlir::Type> &operandTypes,
                    llvm::SmallVectorImpl<mlir::Type> &resultTypes);
void printPairwiseOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                         mlir::TypeRange operandTypes,
                         mlir::TypeRange resultTypes);

/// custom<ComplexOpType>: the complex result type, from which the types of
/// both parts follow, or else a functional type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser,
                                     mlir::Type &lhs, mlir::Type &rhs,
                                     mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// custom<SelectOpType>: `pred, result` when both choices have the result
/// type, or else a functional type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser,
                                    mlir::Type &pred, mlir::Type &onTrue,
                                    mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       mlir::Type pred, mlir::Type onTrue, mlir::Type onFalse,
                       mlir::Type result);

/// custom<TupleOpType>: the tuple type, whose elements are the operand types.
mlir::ParseResult
parseTupleOpType(mlir::OpAsmParser &parser,
                 llvm::SmallVectorImpl<mlir::Type> &operandTypes,
                 mlir::Type &result);
void printTupleOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      mlir::TypeRange operandTypes, mlir::Type result);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_TYPEDIRECTIVES_H
