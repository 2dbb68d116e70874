//===- LegacyDirectives.h - text of MHLO operations -------------*- C++ -*-===//
//
// Custom directives for what MHLO writes differently from StableHLO.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_LEGACYDIRECTIVES_H
#define MAPWRIGHT_COMMON_LEGACYDIRECTIVES_H

#include "common/WindowDirective.h"
#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// The integers of `dense<…> : tensor<Nxi64>`, of an array or, as 0 and 1, of
/// their boolean counterparts; empty for null and everything else.
llvm::SmallVector<int64_t> integersOf(mlir::Attribute attr);

/// custom<MaybeParenthesized>: `%operand`, in older text `(%operand)`.
mlir::ParseResult
parseMaybeParenthesized(mlir::OpAsmParser &parser,
                        mlir::OpAsmParser::UnresolvedOperand &operand);
void printMaybeParenthesized(mlir::OpAsmPrinter &printer, mlir::Operation *,
                             mlir::Value operand);

/// custom<LegacyWindowAttributes>: a window whose lists are `dense<…>`.
mlir::ParseResult
parseLegacyWindowAttributes(mlir::OpAsmParser &parser, mlir::Attribute &strides,
                            mlir::DenseIntElementsAttr &padding,
                            mlir::Attribute &lhsDilation,
                            mlir::Attribute &rhsDilation,
                            mlir::Attribute &reversal);
void printLegacyWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                 mlir::Attribute strides,
                                 mlir::DenseIntElementsAttr padding,
                                 mlir::Attribute lhsDilation,
                                 mlir::Attribute rhsDilation,
                                 mlir::Attribute reversal);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_LEGACYDIRECTIVES_H
