//===- Bounds.cpp - bounds of dynamic dimensions --------------------------===//

#include "common/Bounds.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

LogicalResult mapwright::verifyBounds(
    ArrayRef<int64_t> bounds, ArrayRef<int64_t> shape,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (bounds.size() != shape.size())
    return emitError() << "there are " << bounds.size()
                       << " bounds for a shape of rank " << shape.size();
  for (auto [dim, pair] : llvm::enumerate(llvm::zip(bounds, shape))) {
    auto [bound, size] = pair;
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emitError() << "static dimension " << dim
                         << " must not have a bound";
  }
  return success();
}

ParseResult
mapwright::parseLegacyBounds(AsmParser &parser,
                             SmallVectorImpl<int64_t> &bounds) {
  auto parseBound = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    int64_t bound = 0;
    if (parser.parseInteger(bound))
      return failure();
    if (bound < -1)
      return parser.emitError(loc, "expected a bound, or -1 for none");
    bounds.push_back(bound == -1 ? ShapedType::kDynamic : bound);
    return success();
  };
  return failure(parser.parseLess() || parser.parseKeyword("bounds") ||
                 parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                parseBound) ||
                 parser.parseGreater());
}
