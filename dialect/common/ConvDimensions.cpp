//===- ConvDimensions.cpp - roles of convolution dimensions ---------------===//

#include "common/ConvDimensions.h"

using namespace mlir;
using namespace mapwright;

/// Parses one list, `[b, 0, 1, f]`. `first` and `second` are the letters of the
/// two dimensions that are not spatial.
static ParseResult parseRoles(AsmParser &parser, StringRef first,
                              StringRef second, int64_t &firstDim,
                              int64_t &secondDim,
                              SmallVector<int64_t> &spatial) {
  SMLoc loc = parser.getCurrentLocation();
  firstDim = secondDim = -1;
  int64_t position = 0;
  /// (spatial number, position)
  SmallVector<std::pair<int64_t, int64_t>> numbered;
  auto parseRole = [&]() -> ParseResult {
    SMLoc roleLoc = parser.getCurrentLocation();
    int64_t number = 0;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      numbered.push_back({number, position++});
      return *parsed;
    }
    StringRef role;
    if (parser.parseKeyword(&role))
      return failure();
    if (role != first && role != second)
      return parser.emitError(roleLoc)
             << "expected '" << first << "', '" << second
             << "' or the number of a spatial dimension, got '" << role << "'";
    int64_t &dim = role == first ? firstDim : secondDim;
    if (dim != -1)
      return parser.emitError(roleLoc) << "duplicate dimension '" << role
                                       << "'";
    dim = position++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole))
    return failure();
  if (firstDim == -1 || secondDim == -1)
    return parser.emitError(loc)
           << "expected a dimension '" << (firstDim == -1 ? first : second)
           << "'";
  spatial.assign(numbered.size(), -1);
  for (auto [number, at] : numbered) {
    if (number < 0 || number >= static_cast<int64_t>(numbered.size()))
      return parser.emitError(loc)
             << "spatial dimension " << number << " is not in [0, "
             << numbered.size() << ")";
    if (spatial[number] != -1)
      return parser.emitError(loc) << "duplicate spatial dimension " << number;
    spatial[number] = at;
  }
  return success();
}

FailureOr<ConvDimensions> ConvDimensions::parse(AsmParser &parser) {
  ConvDimensions dims;
  if (parseRoles(parser, "b", "f", dims.inputBatch, dims.inputFeature,
                 dims.inputSpatial) ||
      parser.parseKeyword("x") ||
      parseRoles(parser, "i", "o", dims.kernelInputFeature,
                 dims.kernelOutputFeature, dims.kernelSpatial) ||
      parser.parseArrow() ||
      parseRoles(parser, "b", "f", dims.outputBatch, dims.outputFeature,
                 dims.outputSpatial))
    return failure();
  return dims;
}

static void printRoles(AsmPrinter &printer, StringRef first, StringRef second,
                       int64_t firstDim, int64_t secondDim,
                       ArrayRef<int64_t> spatial) {
  SmallVector<std::pair<int64_t, std::string>> roles;
  roles.push_back({firstDim, first.str()});
  roles.push_back({secondDim, second.str()});
  for (auto [number, dim] : llvm::enumerate(spatial))
    roles.push_back({dim, std::to_string(number)});
  llvm::stable_sort(roles, llvm::less_first());
  printer << '[';
  llvm::interleaveComma(roles, printer,
                        [&](const auto &role) { printer << role.second; });
  printer << ']';
}

void ConvDimensions::print(AsmPrinter &printer) const {
  printRoles(printer, "b", "f", inputBatch, inputFeature, inputSpatial);
  printer << 'x';
  printRoles(printer, "i", "o", kernelInputFeature, kernelOutputFeature,
             kernelSpatial);
  printer << "->";
  printRoles(printer, "b", "f", outputBatch, outputFeature, outputSpatial);
}

LogicalResult ConvDimensions::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  auto verifyOne = [&](StringRef what, int64_t first, int64_t second,
                       ArrayRef<int64_t> spatial) -> LogicalResult {
    SmallVector<int64_t> dims(spatial);
    dims.append({first, second});
    llvm::sort(dims);
    for (auto [position, dim] : llvm::enumerate(dims))
      if (dim != static_cast<int64_t>(position))
        return emitError() << "the " << what
                           << " dimensions must be distinct and cover [0, "
                           << dims.size() << ")";
    return success();
  };
  return success(
      succeeded(verifyOne("input", inputBatch, inputFeature, inputSpatial)) &&
      succeeded(verifyOne("kernel", kernelInputFeature, kernelOutputFeature,
                          kernelSpatial)) &&
      succeeded(
          verifyOne("output", outputBatch, outputFeature, outputSpatial)));
}
