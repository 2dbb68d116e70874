//===- Bounds.h - bounds of dynamic dimensions ------------------*- C++ -*-===//

#ifndef MAPWRIGHT_COMMON_BOUNDS_H
#define MAPWRIGHT_COMMON_BOUNDS_H

#include "mlir/IR/Diagnostics.h"

namespace mapwright {

/// A bound for every dimension of `shape`, and only dynamic dimensions have
/// one (`kDynamic` stands for none).
llvm::LogicalResult
verifyBounds(llvm::ArrayRef<int64_t> bounds, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_BOUNDS_H
