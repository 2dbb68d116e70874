//===- Dialect.cpp - registration of StableHLO ----------------------------===//

#include "stablehlo/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright::stablehlo;

#include "stablehlo/Dialect.cpp.inc"

void StableHLODialect::initialize() {
  registerAttrs();
  registerTypes();
  registerStableHLODialectOperations(this);
}

Operation *StableHLODialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!elements || !tensor || elements.getShapedType() != tensor ||
      !tensor.hasStaticShape() || tensor.getElementType().isIndex())
    return nullptr;
  OperationState state(location, ConstantOp::getOperationName());
  state.addAttribute("value", elements);
  state.addTypes(type);
  return builder.create(state);
}
