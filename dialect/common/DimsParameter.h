//===- DimsParameter.h - text of attribute parameters -----------*- C++ -*-===//
//
// Parsers and printers of the parameters in `Parameters.td`.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_DIMSPARAMETER_H
#define MAPWRIGHT_COMMON_DIMSPARAMETER_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// `[0, 1]`
mlir::FailureOr<llvm::SmallVector<int64_t>> parseDims(mlir::AsmParser &parser);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

/// `true` or `false`
mlir::FailureOr<bool> parseBool(mlir::AsmParser &parser);

/// A floating-point literal, kept with the precision of f64.
mlir::FailureOr<llvm::APFloat> parseFloat(mlir::AsmParser &parser);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_DIMSPARAMETER_H
