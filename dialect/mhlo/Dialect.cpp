//===- Dialect.cpp - registration of MHLO ---------------------------------===//

#include "mhlo/Dialect.h"

#include "common/Constants.h"

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
  return mapwright::materializeConstant<ConstantOp>(builder, value, type,
                                                    location);
}
