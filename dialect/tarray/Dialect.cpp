//===- Dialect.cpp - registration of the tarray dialect -------------------===//

#include "tarray/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "stablehlo/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright::tarray;

#include "tarray/Dialect.cpp.inc"

#include "tarray/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tarray/Attrs.cpp.inc"

void TArrayDialect::initialize() {
  registerAttrs();
  registerTypes();
  registerTArrayDialectOperations(this);
}

void TArrayDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tarray/Attrs.cpp.inc"
      >();
}

/// Shapes are constants of our own, numbers are StableHLO's.
Operation *TArrayDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location location) {
  if (!isa<ShapeType>(type))
    return getContext()
        ->getOrLoadDialect<stablehlo::StableHLODialect>()
        ->materializeConstant(builder, value, type, location);
  auto sizes = dyn_cast<DenseI64ArrayAttr>(value);
  if (!sizes)
    return nullptr;
  OperationState state(location, ShapeOp::getOperationName());
  state.addAttribute("sizes", sizes);
  state.addTypes(type);
  return builder.create(state);
}
