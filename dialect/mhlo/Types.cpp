//===- Types.cpp - types of MHLO ------------------------------------------===//

#include "mhlo/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright::mhlo;

#define GET_TYPEDEF_CLASSES
#include "mhlo/Types.cpp.inc"

void MHLODialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "mhlo/Types.cpp.inc"
      >();
}
