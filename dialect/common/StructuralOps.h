//===- StructuralOps.h - what StableHLO and MHLO check alike ----*- C++ -*-===//

#ifndef MAPWRIGHT_COMMON_STRUCTURALOPS_H
#define MAPWRIGHT_COMMON_STRUCTURALOPS_H

#include "common/WindowDirective.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mapwright {

/// Fails unless the padding of a convolution, if it has one, has two columns.
template <typename ConvolutionOp>
llvm::LogicalResult verifyPadding(ConvolutionOp op) {
  mlir::DenseIntElementsAttr padding = op.getPaddingAttr();
  if (padding && !isPaddingTable(padding))
    return op.emitOpError(
               "needs a padding of two columns, but it has the type ")
           << padding.getType();
  return mlir::success();
}

/// The effects of a call that may do anything to memory.
inline void
anyEffect(llvm::SmallVectorImpl<
          mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
              &effects) {
  effects.emplace_back(mlir::MemoryEffects::Allocate::get());
  effects.emplace_back(mlir::MemoryEffects::Free::get());
  effects.emplace_back(mlir::MemoryEffects::Read::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get());
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_STRUCTURALOPS_H
