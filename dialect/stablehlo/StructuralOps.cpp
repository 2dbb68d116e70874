//===- StructuralOps.cpp - what the text of operations needs --------------===//
//
// Constraints without which an operation has no text. Everything else that the
// specification demands is checked by the verification hook.
//
//===----------------------------------------------------------------------===//

#include "common/StructuralOps.h"
#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright::stablehlo;

LogicalResult SliceOp::verify() {
  size_t nRanges = getStartIndices().size();
  if (getLimitIndices().size() != nRanges || getStrides().size() != nRanges)
    return emitOpError("needs as many limit_indices and strides as it has "
                       "start_indices (")
           << nRanges << "), but has " << getLimitIndices().size() << " and "
           << getStrides().size();
  return success();
}

LogicalResult ConvolutionOp::verify() {
  return mapwright::verifyPadding(*this);
}

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getHasSideEffect())
    mapwright::anyEffect(effects);
}
