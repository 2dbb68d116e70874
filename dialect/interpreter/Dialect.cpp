//===- Dialect.cpp - registration of the interpreter dialect --------------===//

#include "interpreter/Dialect.h"

#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright::interpreter;

#include "interpreter/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "interpreter/Ops.cpp.inc"

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "interpreter/Ops.cpp.inc"
      >();
}
