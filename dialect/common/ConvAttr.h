//===- ConvAttr.h - attributes of convolution dimensions --------*- C++ -*-===//
//
// Between the attributes `#stablehlo.conv` and `#mhlo.conv` and what they hold.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_CONVATTR_H
#define MAPWRIGHT_COMMON_CONVATTR_H

#include "common/ConvDimensions.h"

namespace mapwright {

template <typename ConvAttr>
ConvDimensions toConvDimensions(ConvAttr attr) {
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

/// The attribute whose text (without angle brackets) comes next, or null.
template <typename ConvAttr> ConvAttr parseConvAttr(mlir::AsmParser &parser) {
  mlir::FailureOr<ConvDimensions> dims = ConvDimensions::parse(parser);
  if (failed(dims))
    return {};
  using Dims = llvm::ArrayRef<int64_t>;
  return ConvAttr::get(
      parser.getContext(), dims->inputBatch, dims->inputFeature,
      Dims(dims->inputSpatial), dims->kernelInputFeature,
      dims->kernelOutputFeature, Dims(dims->kernelSpatial), dims->outputBatch,
      dims->outputFeature, Dims(dims->outputSpatial));
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_CONVATTR_H
