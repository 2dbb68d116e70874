//===- Dialect.h - Shardy's dialect, as far as it is read -------*- C++ -*-===//

#ifndef MAPWRIGHT_SDY_DIALECT_H
#define MAPWRIGHT_SDY_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sdy/Dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sdy/Attrs.h.inc"

#define GET_OP_CLASSES
#include "sdy/Ops.h.inc"

#endif // MAPWRIGHT_SDY_DIALECT_H
