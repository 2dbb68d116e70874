//===- BoundsAttr.cpp - text and rules of `#stablehlo.bounds` -------------===//

#include "stablehlo/Dialect.h"

#include "common/Bounds.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::stablehlo;

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  auto parseBound = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    int64_t bound = 0;
    if (parser.parseInteger(bound))
      return failure();
    if (bound < 0)
      return parser.emitError(loc, "expected a bound that is not negative");
    bounds.push_back(bound);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseBound))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  return verifyBounds(getBounds(), shape, emitError);
}
