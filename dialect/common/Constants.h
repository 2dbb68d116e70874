//===- Constants.h - constants for MLIR's folding ---------------*- C++ -*-===//

#ifndef MAPWRIGHT_COMMON_CONSTANTS_H
#define MAPWRIGHT_COMMON_CONSTANTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mapwright {

/// The operation `ConstantOp` with this value, or null where the dialect has no
/// constants of the type.
template <typename ConstantOp>
mlir::Operation *materializeConstant(mlir::OpBuilder &builder,
                                     mlir::Attribute value, mlir::Type type,
                                     mlir::Location location) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!elements || !tensor || elements.getShapedType() != tensor ||
      !tensor.hasStaticShape() || tensor.getElementType().isIndex())
    return nullptr;
  mlir::OperationState state(location, ConstantOp::getOperationName());
  state.addAttribute("value", elements);
  state.addTypes(type);
  return builder.create(state);
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_CONSTANTS_H
