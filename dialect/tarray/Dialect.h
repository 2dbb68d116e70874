//===- Dialect.h - the tarray dialect in C++ --------------------*- C++ -*-===//

#ifndef MAPWRIGHT_TARRAY_DIALECT_H
#define MAPWRIGHT_TARRAY_DIALECT_H

#include "common/Hooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tarray/Dialect.h.inc"

#include "tarray/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tarray/Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tarray/Attrs.h.inc"

namespace mapwright::tarray {

/// custom<Tuple>: `(2, 3, 4)`.
mlir::ParseResult parseTuple(mlir::OpAsmParser &parser,
                             mlir::DenseI64ArrayAttr &sizes);
void printTuple(mlir::OpAsmPrinter &printer, mlir::Operation *,
                mlir::DenseI64ArrayAttr sizes);

/// custom<SliceRange>: `[start : stride : end]`, or nothing.
mlir::ParseResult parseSliceRange(mlir::OpAsmParser &parser,
                                  mlir::DenseI64ArrayAttr &range);
void printSliceRange(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     mlir::DenseI64ArrayAttr range);

/// custom<Pool>: `sum`, or nothing.
mlir::ParseResult parsePool(mlir::OpAsmParser &parser, PoolAttr &pool);
void printPool(mlir::OpAsmPrinter &printer, mlir::Operation *, PoolAttr pool);

} // namespace mapwright::tarray

#define GET_OP_CLASSES
#include "tarray/Ops.h.inc"

#endif // MAPWRIGHT_TARRAY_DIALECT_H
