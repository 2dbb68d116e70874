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

LogicalResult
MHLODialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return mapwright::verifyThroughHook(op, attribute, /*argument=*/-1,
                                      /*result=*/-1);
}

LogicalResult MHLODialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return mapwright::verifyThroughHook(op, attribute, argument, /*result=*/-1);
}

Operation *MHLODialect::materializeConstant(OpBuilder &builder,
                                           Attribute value, Type type,
                                           Location location) {
  return mapwright::materializeConstant<ConstantOp>(builder, value, type,
                                                    location);
}
