//===- Attrs.cpp - attributes of StableHLO --------------------------------===//

#include "stablehlo/Dialect.h"

#include "common/Bounds.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::stablehlo;

#include "stablehlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/Attrs.cpp.inc"

void StableHLODialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "stablehlo/Attrs.cpp.inc"
      >();
}

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value())
    return attribute;
  // The form that bounds had before they got a name of their own.
  if (mnemonic == "type_extensions") {
    SmallVector<int64_t> bounds;
    if (parseLegacyBounds(parser, bounds))
      return {};
    return TypeExtensionsAttr::get(getContext(), bounds);
  }
  parser.emitError(parser.getNameLoc())
      << "unknown attribute `" << mnemonic << "` in dialect `stablehlo`";
  return {};
}

void StableHLODialect::printAttribute(Attribute attribute,
                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

ResultAccuracyAttr ResultAccuracyAttr::getDefault(MLIRContext *context) {
  auto mode =
      ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT);
  return get(context, APFloat(0.0), APFloat(0.0), /*ulps=*/0, mode);
}

ParseResult stablehlo::parsePrecisionConfig(OpAsmParser &parser,
                                            ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") || parser.parseEqual() ||
                 parsePrecisions<PrecisionAttr>(parser, precision));
}

void stablehlo::printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                                     ArrayAttr precision) {
  if (precision)
    printPrecisions<PrecisionAttr>(printer, precision);
}

ParseResult
stablehlo::parsePrecisionConfigAndAlgorithm(OpAsmParser &parser,
                                            ArrayAttr &precision,
                                            DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "precision" && !precision && !algorithm) {
      if (parsePrecisions<PrecisionAttr>(parser, precision))
        return failure();
    } else if (name == "algorithm" && !algorithm) {
      if (parser.parseCustomAttributeWithFallback(algorithm))
        return failure();
    } else {
      return parser.emitError(loc)
             << "expected 'precision' or 'algorithm', got '" << name << "'";
    }
  }
  return success();
}

void stablehlo::printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer,
                                                 Operation *op,
                                                 ArrayAttr precision,
                                                 DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}
