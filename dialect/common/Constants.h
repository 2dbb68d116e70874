//===- Constants.h - constants without their text ---------------*- C++ -*-===//

#ifndef MAPWRIGHT_COMMON_CONSTANTS_H
#define MAPWRIGHT_COMMON_CONSTANTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

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

/// The type of `ConstantOp`: that of its attribute `value`, which is among the
/// properties or not yet.
template <typename ConstantOp>
llvm::LogicalResult
inferConstantType(std::optional<mlir::Location> location,
                  mlir::DictionaryAttr attributes,
                  mlir::OpaqueProperties properties,
                  llvm::SmallVectorImpl<mlir::Type> &results) {
  mlir::ElementsAttr value;
  if (properties)
    value = properties.as<typename ConstantOp::Properties *>()->value;
  if (!value && attributes)
    value = attributes.getAs<mlir::ElementsAttr>("value");
  if (!value)
    return mlir::emitOptionalError(location, "op ",
                                   ConstantOp::getOperationName(),
                                   ": needs an attribute 'value'");
  results.push_back(value.getShapedType());
  return mlir::success();
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_CONSTANTS_H
