//===- Dialect.h - the interpreter dialect in C++ ---------------*- C++ -*-===//

#ifndef MAPWRIGHT_INTERPRETER_DIALECT_H
#define MAPWRIGHT_INTERPRETER_DIALECT_H

#include "common/Hooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "interpreter/Dialect.h.inc"

#define GET_OP_CLASSES
#include "interpreter/Ops.h.inc"

#endif // MAPWRIGHT_INTERPRETER_DIALECT_H
