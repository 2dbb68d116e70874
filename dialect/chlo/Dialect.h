//===- Dialect.h - the CHLO dialect in C++ ----------------------*- C++ -*-===//

#ifndef MAPWRIGHT_CHLO_DIALECT_H
#define MAPWRIGHT_CHLO_DIALECT_H

#include "common/DimsParameter.h"
#include "common/ConstantText.h"
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

#include "chlo/Dialect.h.inc"

#include "chlo/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "chlo/Attrs.h.inc"

#define GET_OP_CLASSES
#include "chlo/Ops.h.inc"

#endif // MAPWRIGHT_CHLO_DIALECT_H
