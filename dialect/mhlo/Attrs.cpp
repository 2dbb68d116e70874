//===- Attrs.cpp - attributes of MHLO -------------------------------------===//

#include "common/Bounds.h"
#include "mhlo/Dialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::mhlo;

#include "mhlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mhlo/Attrs.cpp.inc"

void MHLODialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mhlo/Attrs.cpp.inc"
      >();
}

ResultAccuracyAttr ResultAccuracyAttr::getDefault(MLIRContext *context) {
  auto mode =
      ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT);
  return get(context, APFloat(0.0), APFloat(0.0), /*ulps=*/0, mode);
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parseLegacyBounds(parser, bounds))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << "<bounds = [";
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << "]>";
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  return verifyBounds(getBounds(), shape, emitError);
}
