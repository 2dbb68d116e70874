//===- Dialect.cpp - registration of the check dialect --------------------===//

#include "check/Dialect.h"

using namespace mlir;
using namespace mapwright::check;

#include "check/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "check/Ops.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "check/Ops.cpp.inc"
      >();
}
