//===- ConvAttr.cpp - text of `#stablehlo.conv` ---------------------------===//

#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::stablehlo;

static ConvDimensions toDimensions(ConvDimensionNumbersAttr attr) {
  ConvDimensions dims;
  dims.inputBatch = attr.getInputBatchDimension();
  dims.inputFeature = attr.getInputFeatureDimension();
  llvm::append_range(dims.inputSpatial, attr.getInputSpatialDimensions());
  dims.kernelInputFeature = attr.getKernelInputFeatureDimension();
  dims.kernelOutputFeature = attr.getKernelOutputFeatureDimension();
  llvm::append_range(dims.kernelSpatial, attr.getKernelSpatialDimensions());
  dims.outputBatch = attr.getOutputBatchDimension();
  dims.outputFeature = attr.getOutputFeatureDimension();
  llvm::append_range(dims.outputSpatial, attr.getOutputSpatialDimensions());
  return dims;
}

ConvDimensionNumbersAttr ConvDimensionNumbersAttr::parseBody(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<ConvDimensions> dims = ConvDimensions::parse(parser);
  if (failed(dims))
    return {};
  return parser.getChecked<ConvDimensionNumbersAttr>(
      loc, parser.getContext(), dims->inputBatch, dims->inputFeature,
      ArrayRef<int64_t>(dims->inputSpatial), dims->kernelInputFeature,
      dims->kernelOutputFeature, ArrayRef<int64_t>(dims->kernelSpatial),
      dims->outputBatch, dims->outputFeature,
      ArrayRef<int64_t>(dims->outputSpatial));
}

void ConvDimensionNumbersAttr::printBody(AsmPrinter &printer) const {
  toDimensions(*this).print(printer);
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
  ConvDimensions dims;
  dims.inputBatch = inputBatch;
  dims.inputFeature = inputFeature;
  llvm::append_range(dims.inputSpatial, inputSpatial);
  dims.kernelInputFeature = kernelInputFeature;
  dims.kernelOutputFeature = kernelOutputFeature;
  llvm::append_range(dims.kernelSpatial, kernelSpatial);
  dims.outputBatch = outputBatch;
  dims.outputFeature = outputFeature;
  llvm::append_range(dims.outputSpatial, outputSpatial);
  return dims.verify(emitError);
}
