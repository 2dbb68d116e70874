//===- Dialect.cpp - registration of StableHLO ----------------------------===//

#include "stablehlo/Dialect.h"

#include "common/Constants.h"

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
  return mapwright::materializeConstant<ConstantOp>(builder, value, type,
                                                    location);
}
