//===- Dialect.h - the check dialect in C++ ---------------------*- C++ -*-===//

#ifndef MAPWRIGHT_CHECK_DIALECT_H
#define MAPWRIGHT_CHECK_DIALECT_H

#include "common/Hooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "check/Dialect.h.inc"

#define GET_OP_CLASSES
#include "check/Ops.h.inc"

#endif // MAPWRIGHT_CHECK_DIALECT_H
