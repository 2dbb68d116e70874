//===- Bounds.h - bounds of dynamic dimensions ------------------*- C++ -*-===//

#ifndef MAPWRIGHT_COMMON_BOUNDS_H
#define MAPWRIGHT_COMMON_BOUNDS_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// A bound for every dimension of `shape`, and only dynamic dimensions have
/// one (`kDynamic` stands for none).
llvm::LogicalResult
verifyBounds(llvm::ArrayRef<int64_t> bounds, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// `<bounds = [6, -1]>`, where -1 or `?` stands for no bound.
mlir::ParseResult parseLegacyBounds(mlir::AsmParser &parser,
                                    llvm::SmallVectorImpl<int64_t> &bounds);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_BOUNDS_H
