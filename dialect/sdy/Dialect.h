//===- Dialect.h - the Shardy dialect in C++ --------------------*- C++ -*-===//

#ifndef MAPWRIGHT_SDY_DIALECT_H
#define MAPWRIGHT_SDY_DIALECT_H

#include "common/ConstantText.h"
#include "common/Hooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sdy/Dialect.h.inc"

#include "sdy/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sdy/Attrs.h.inc"

namespace mapwright::sdy {

/// custom<ShardingList>: `[<@mesh, …>, …]`.
mlir::ParseResult parseShardingList(mlir::OpAsmParser &parser,
                                    TensorShardingPerValueAttr &shardings);
void printShardingList(mlir::AsmPrinter &printer, mlir::Operation *,
                       TensorShardingPerValueAttr shardings);

/// custom<BodyWithArguments>: `(%arg: type, …) {…}`.
mlir::ParseResult parseBodyWithArguments(mlir::OpAsmParser &parser,
                                         mlir::Region &body);
void printBodyWithArguments(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::Region &body);

} // namespace mapwright::sdy

#define GET_OP_CLASSES
#include "sdy/Ops.h.inc"

#endif // MAPWRIGHT_SDY_DIALECT_H
