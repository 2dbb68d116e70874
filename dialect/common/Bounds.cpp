//===- Bounds.cpp - bounds of dynamic dimensions --------------------------===//

#include "common/Bounds.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

LogicalResult mapwright::verifyBounds(
    ArrayRef<int64_t> bounds, ArrayRef<int64_t> shape,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (bounds.size() != shape.size())
    return emitError() << "there are " << bounds.size()
                       << " bounds for a shape of rank " << shape.size();
  for (auto [dim, pair] : llvm::enumerate(llvm::zip(bounds, shape))) {
    auto [bound, size] = pair;
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emitError() << "static dimension " << dim
                         << " must not have a bound";
  }
  return success();
}
