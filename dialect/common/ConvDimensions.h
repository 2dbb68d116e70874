//===- ConvDimensions.h - roles of convolution dimensions -------*- C++ -*-===//
//
// The dimension numbers of a convolution and their text,
// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_CONVDIMENSIONS_H
#define MAPWRIGHT_COMMON_CONVDIMENSIONS_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

struct ConvDimensions {
  int64_t inputBatch = 0, inputFeature = 0;
  llvm::SmallVector<int64_t> inputSpatial;
  int64_t kernelInputFeature = 0, kernelOutputFeature = 0;
  llvm::SmallVector<int64_t> kernelSpatial;
  int64_t outputBatch = 0, outputFeature = 0;
  llvm::SmallVector<int64_t> outputSpatial;

  /// The text without the angle brackets. The form for everything else is
  /// `raw input_batch_dimension = 0, input_feature_dimension = 3, …`.
  static mlir::FailureOr<ConvDimensions> parse(mlir::AsmParser &parser);
  void print(mlir::AsmPrinter &printer) const;

  /// Does every dimension have exactly one role in each of the three lists?
  /// Only then there is a short text for it. (What a convolution needs is
  /// verified with the operation, whose ranks say more.)
  bool isWellFormed() const;
};

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_CONVDIMENSIONS_H
