//===- ConvDimensions.cpp - roles of convolution dimensions ---------------===//

#include "common/ConvDimensions.h"

#include "common/DimsParameter.h"
#include "llvm/ADT/SmallSet.h"

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

/// Parses the form with a name for every number.
static FailureOr<ConvDimensions> parseRaw(AsmParser &parser) {
  ConvDimensions dims;
  std::pair<StringRef, int64_t *> numbers[] = {
      {"input_batch_dimension", &dims.inputBatch},
      {"input_feature_dimension", &dims.inputFeature},
      {"kernel_input_feature_dimension", &dims.kernelInputFeature},
      {"kernel_output_feature_dimension", &dims.kernelOutputFeature},
      {"output_batch_dimension", &dims.outputBatch},
      {"output_feature_dimension", &dims.outputFeature}};
  std::pair<StringRef, SmallVector<int64_t> *> lists[] = {
      {"input_spatial_dimensions", &dims.inputSpatial},
      {"kernel_spatial_dimensions", &dims.kernelSpatial},
      {"output_spatial_dimensions", &dims.outputSpatial}};
  llvm::SmallSet<StringRef, 9> seen;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (!seen.insert(name).second)
      return parser.emitError(loc) << "duplicate '" << name << "'";
    auto *number = llvm::find_if(
        numbers, [&](const auto &entry) { return entry.first == name; });
    auto *list = llvm::find_if(
        lists, [&](const auto &entry) { return entry.first == name; });
    if (number != std::end(numbers)) {
      if (parser.parseInteger(*number->second))
        return failure();
    } else if (list != std::end(lists)) {
      FailureOr<SmallVector<int64_t>> values = parseDims(parser);
      if (failed(values))
        return failure();
      *list->second = *values;
    } else {
      return parser.emitError(loc)
             << "expected the name of a dimension number, got '" << name << "'";
    }
  } while (succeeded(parser.parseOptionalComma()));
  if (seen.size() != std::size(numbers) + std::size(lists))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected all nine dimension numbers");
  return dims;
}

FailureOr<ConvDimensions> ConvDimensions::parse(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRaw(parser);
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
  llvm::sort(roles, llvm::less_first());
  printer << '[';
  llvm::interleaveComma(roles, printer,
                        [&](const auto &role) { printer << role.second; });
  printer << ']';
}

void ConvDimensions::print(AsmPrinter &printer) const {
  if (!isWellFormed()) {
    auto printOne = [&](StringRef name, StringRef firstName, int64_t first,
                        StringRef secondName, int64_t second,
                        ArrayRef<int64_t> spatial) {
      printer << name << firstName << "_dimension = " << first << ", " << name
              << secondName << "_dimension = " << second << ", " << name
              << "spatial_dimensions = ";
      printDims(printer, spatial);
    };
    printer << "raw ";
    printOne("input_", "batch", inputBatch, "feature", inputFeature,
             inputSpatial);
    printer << ", ";
    printOne("kernel_", "input_feature", kernelInputFeature, "output_feature",
             kernelOutputFeature, kernelSpatial);
    printer << ", ";
    printOne("output_", "batch", outputBatch, "feature", outputFeature,
             outputSpatial);
    return;
  }
  printRoles(printer, "b", "f", inputBatch, inputFeature, inputSpatial);
  printer << 'x';
  printRoles(printer, "i", "o", kernelInputFeature, kernelOutputFeature,
             kernelSpatial);
  printer << "->";
  printRoles(printer, "b", "f", outputBatch, outputFeature, outputSpatial);
}

bool ConvDimensions::isWellFormed() const {
  auto coversAll = [](int64_t first, int64_t second,
                      ArrayRef<int64_t> spatial) {
    SmallVector<int64_t> dims(spatial);
    dims.append({first, second});
    llvm::sort(dims);
    return llvm::all_of(llvm::enumerate(dims), [](const auto &entry) {
      return entry.value() == static_cast<int64_t>(entry.index());
    });
  };
  return coversAll(inputBatch, inputFeature, inputSpatial) &&
         coversAll(kernelInputFeature, kernelOutputFeature, kernelSpatial) &&
         coversAll(outputBatch, outputFeature, outputSpatial);
}
