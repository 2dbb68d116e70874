//===- Dialect.h - the check dialect in C++ ---------------------*- C++ -*-===//

#ifndef MAPWRIGHT_CHECK_DIALECT_H
#define MAPWRIGHT_CHECK_DIALECT_H

#include "common/ConstantText.h"
#include "common/Hooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "check/Dialect.h.inc"

namespace mapwright::check {

/// Is it an integer of so many bits that has no sign?
inline bool isCount(mlir::Attribute attr, unsigned width) {
  auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attr);
  return integer && (integer.getType().isSignlessInteger(width) ||
                     integer.getType().isUnsignedInteger(width));
}

/// custom<UlpDifferences>: `, max_ulp_difference = 3, min_ulp_difference = 0`,
/// any part left out.
mlir::ParseResult parseUlpDifferences(mlir::OpAsmParser &parser,
                                      mlir::IntegerAttr &max,
                                      mlir::IntegerAttr &min);
void printUlpDifferences(mlir::OpAsmPrinter &printer, mlir::Operation *,
                         mlir::IntegerAttr max, mlir::IntegerAttr min);

/// custom<Iteration>: `, iter = 1`, in older text `, iteration = 1`, or nothing.
mlir::ParseResult parseIteration(mlir::OpAsmParser &parser,
                                 mlir::IntegerAttr &iteration);
void printIteration(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    mlir::IntegerAttr iteration);

} // namespace mapwright::check

#define GET_OP_CLASSES
#include "check/Ops.h.inc"

#endif // MAPWRIGHT_CHECK_DIALECT_H
