//===- Dialect.h - the indexing dialect in C++ ------------------*- C++ -*-===//

#ifndef MAPWRIGHT_INDEXING_DIALECT_H
#define MAPWRIGHT_INDEXING_DIALECT_H

#include "common/Hooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "indexing/Dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "indexing/Attrs.h.inc"

#define GET_OP_CLASSES
#include "indexing/Ops.h.inc"

#endif // MAPWRIGHT_INDEXING_DIALECT_H
