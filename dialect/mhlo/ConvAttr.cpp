//===- ConvAttr.cpp - text of `#mhlo.conv` --------------------------------===//

#include "common/ConvAttr.h"
#include "mhlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::mhlo;

ConvDimensionNumbersAttr ConvDimensionNumbersAttr::parseBody(AsmParser &parser) {
  return parseConvAttr<ConvDimensionNumbersAttr>(parser);
}

void ConvDimensionNumbersAttr::printBody(AsmPrinter &printer) const {
  toConvDimensions(*this).print(printer);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  ConvDimensionNumbersAttr attr = parseBody(parser);
  if (!attr || parser.parseGreater())
    return {};
  return attr;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}

LogicalResult ConvDimensionNumbersAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, int64_t inputBatch,
    int64_t inputFeature, ArrayRef<int64_t> inputSpatial,
    int64_t kernelInputFeature, int64_t kernelOutputFeature,
    ArrayRef<int64_t> kernelSpatial, int64_t outputBatch,
    int64_t outputFeature, ArrayRef<int64_t> outputSpatial) {
  ConvDimensions dims{inputBatch,
                      inputFeature,
                      llvm::to_vector(inputSpatial),
                      kernelInputFeature,
                      kernelOutputFeature,
                      llvm::to_vector(kernelSpatial),
                      outputBatch,
                      outputFeature,
                      llvm::to_vector(outputSpatial)};
  return dims.verify(emitError);
}
