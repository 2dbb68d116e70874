//===- Dialect.cpp - registration of CHLO ---------------------------------===//

#include "chlo/Dialect.h"

#include "common/DimsFields.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "stablehlo/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::chlo;

#include "chlo/Dialect.cpp.inc"

#include "chlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "chlo/Attrs.cpp.inc"

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  DimsField fields[] = {
      {"lhs_batching_dimensions"},    {"rhs_batching_dimensions"},
      {"lhs_contracting_dimensions"}, {"rhs_contracting_dimensions"},
      {"lhs_ragged_dimensions"},      {"rhs_group_dimensions"}};
  if (parseDimsFields(parser, fields))
    return {};
  return get(parser.getContext(), fields[0].dims, fields[1].dims,
             fields[2].dims, fields[3].dims, fields[4].dims, fields[5].dims);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDimsFields(printer,
                  {{"lhs_batching_dimensions", getLhsBatchingDimensions()},
                   {"rhs_batching_dimensions", getRhsBatchingDimensions()},
                   {"lhs_contracting_dimensions", getLhsContractingDimensions()},
                   {"rhs_contracting_dimensions", getRhsContractingDimensions()},
                   {"lhs_ragged_dimensions", getLhsRaggedDimensions()},
                   {"rhs_group_dimensions", getRhsGroupDimensions()}});
}

void CHLODialect::initialize() {
  // By its name: a host may have a StableHLO of its own.
  getContext()->getOrLoadDialect("stablehlo");
  registerAttrs();
  registerCHLODialectOperations(this);
}

void CHLODialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "chlo/Attrs.cpp.inc"
      >();
}

/// Constants become StableHLO's, which everything else knows; of a StableHLO that
/// cannot make them there are none.
Operation *CHLODialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location location) {
  Dialect *stablehlo = getContext()->getOrLoadDialect("stablehlo");
  return stablehlo ? stablehlo->materializeConstant(builder, value, type, location)
                   : nullptr;
}
