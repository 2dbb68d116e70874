//===- Dialect.cpp - registration of the indexing dialect -----------------===//

#include "indexing/Dialect.h"

using namespace mlir;
using namespace mapwright::indexing;

#include "indexing/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "indexing/Ops.cpp.inc"

void IndexingDialect::initialize() {
  registerAttrs();
  addOperations<
#define GET_OP_LIST
#include "indexing/Ops.cpp.inc"
      >();
}
