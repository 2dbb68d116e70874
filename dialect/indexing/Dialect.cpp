//===- Dialect.cpp - registration of the indexing dialect -----------------===//

#include "indexing/Dialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mapwright::indexing;

#include "indexing/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "indexing/Ops.cpp.inc"

namespace {
/// Maps are long and often equal: a printed module has names for them, so that
/// its lines stay short. (Schedules are for editing by hand, each by itself.)
struct AsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<MapAttr>(attribute))
      return AliasResult::NoAlias;
    os << "indexing_map";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void IndexingDialect::initialize() {
  registerAttrs();
  addOperations<
#define GET_OP_LIST
#include "indexing/Ops.cpp.inc"
      >();
  addInterfaces<AsmInterface>();
}
