//===- Dialect.cpp - registration of MHLO ---------------------------------===//

#include "mhlo/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright::mhlo;

#include "mhlo/Dialect.cpp.inc"

void MHLODialect::initialize() {
  registerAttrs();
  registerTypes();
  registerMHLODialectOperations(this);
}

Operation *MHLODialect::materializeConstant(OpBuilder &builder,
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
