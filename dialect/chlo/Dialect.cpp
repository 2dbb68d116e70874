//===- Dialect.cpp - registration of CHLO ---------------------------------===//

#include "chlo/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "stablehlo/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright::chlo;

#include "chlo/Dialect.cpp.inc"

#include "chlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "chlo/Attrs.cpp.inc"

void CHLODialect::initialize() {
  registerAttrs();
  registerCHLODialectOperations(this);
}

void CHLODialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "chlo/Attrs.cpp.inc"
      >();
}

/// Constants become StableHLO's, which everything else knows.
Operation *CHLODialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location location) {
  return getContext()
      ->getOrLoadDialect<stablehlo::StableHLODialect>()
      ->materializeConstant(builder, value, type, location);
}
