//===- Reduction.td - operations with a scalar computation ----------------===//

#ifndef MAPWRIGHT_STABLEHLO_REDUCTION
#define MAPWRIGHT_STABLEHLO_REDUCTION

include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_ReduceOp
    : StableHLO_InferredRegionOp<"reduce", [
          RecursiveMemoryEffects, RecursivelySpeculatable,
          SameVariadicOperandSize,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "reduction along dimensions";
  let description = [{
    Folds the elements along the dimensions with the computation `body`, in
    any order and grouping, together with the initial value as often as one
    likes. Several tensors may be folded at once.

    A computation that is a single commutative operation is written in one line:

    ```mlir
    %result = stablehlo.reduce(%input init: %init_value)
      applies stablehlo.add across dimensions = [1]
      : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
    ```

    Constraints of the specification: C1 to C8.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Variadic<Hlo_Tensor>:$init_values,
                       Hlo_I64ListAttr:$dimensions);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def StableHLO_ReduceWindowOp
    : StableHLO_InferredRegionOp<"reduce_window", [
          RecursiveMemoryEffects, SameVariadicOperandSize,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "reduction of every window of the inputs";
  let description = [{
    Folds the elements of every window with the computation `body`. Windows
    have sizes and strides, a dilation of the window and one of the operand,
    and a padding that holds the initial value.

    Constraints of the specification: C1 to C16.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Variadic<Hlo_Tensor>:$init_values,
                       Hlo_I64ListAttr:$window_dimensions,
                       OptionalAttr<Hlo_I64ListAttr>:$window_strides,
                       OptionalAttr<Hlo_I64ListAttr>:$base_dilations,
                       OptionalAttr<Hlo_I64ListAttr>:$window_dilations,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
}
def StableHLO_SelectAndScatterOp
    : StableHLO_InferredRegionOp<"select_and_scatter",
                                 [RecursiveMemoryEffects]> {
  let summary = "values scattered to the selected element of every window";
  let description = [{
    In every window of the operand `select` chooses one element; the value
    of `source` that belongs to the window is added there with the
    computation `scatter`, on a result that begins as `init_value`.

    Constraints of the specification: C1 to C12.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$source,
                       Hlo_Tensor:$init_value,
                       OptionalAttr<Hlo_I64ListAttr>:$window_dimensions,
                       OptionalAttr<Hlo_I64ListAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
}
def StableHLO_ScatterOp
    : StableHLO_InferredRegionOp<"scatter", [RecursiveMemoryEffects,
                                             SameVariadicOperandSize]> {
  let summary = "updates of slices of the inputs at indices";
  let description = [{
    Every vector of `scatter_indices` is the place at which a slice of
    `updates` is put together with the inputs by the computation; updates
    outside of the inputs are left out. In which order is not defined.
    Sortedness and uniqueness are promises.

    Constraints of the specification: C1 to C25.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Hlo_ScatterIndexTensor:$scatter_indices,
                       Variadic<Hlo_Tensor>:$updates,
                       StableHLO_ScatterAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">
                           :$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">
                           :$unique_indices);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
}
def StableHLO_SortOp
    : StableHLO_InferredRegionOp<"sort", [RecursiveMemoryEffects]> {
  let summary = "sort along a dimension";
  let description = [{
    Sorts the inputs along a dimension, all by one order: `comparator` says
    whether the first element of a pair comes before the second. With
    `is_stable` equal elements keep their order.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
}
def StableHLO_MapOp
    : StableHLO_InferredRegionOp<"map", [
          RecursiveMemoryEffects,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a computation applied to every element";
  let description = [{
    The computation applied to the elements at every index. Kept for
    programs that have it.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Hlo_I64ListAttr:$dimensions);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_BatchNormGradOp
    : StableHLO_InferredOp<"batch_norm_grad", [Pure]> {
  let summary = "gradient of the batch normalisation";
  let description = [{
    The gradients of `batch_norm_training` with respect to its operand,
    scale and offset, from the gradient of its output.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Hlo_FpOrQuantTensor:$operand, Hlo_FpOrQuantTensor:$scale,
                       Hlo_FpOrQuantTensor:$mean, Hlo_FpOrQuantTensor:$variance,
                       Hlo_FpOrQuantTensor:$grad_output, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Hlo_FpOrQuantTensor:$grad_operand, Hlo_FpOrQuantTensor:$grad_scale,
                      Hlo_FpOrQuantTensor:$grad_offset);
}
def StableHLO_BatchNormInferenceOp
    : StableHLO_InferredOp<"batch_norm_inference", [Pure]> {
  let summary = "normalisation with a given mean and variance";
  let description = [{
    `(operand - mean) / sqrt(variance + epsilon) * scale + offset`, where
    all but the operand have one element a feature.

    Constraints of the specification: C1 to C7.
  }];
  let arguments = (ins Hlo_FpOrQuantTensor:$operand, Hlo_FpOrQuantTensor:$scale,
                       Hlo_FpOrQuantTensor:$offset, Hlo_FpOrQuantTensor:$mean,
                       Hlo_FpOrQuantTensor:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Hlo_FpOrQuantTensor:$result);
}
def StableHLO_BatchNormTrainingOp
    : StableHLO_InferredOp<"batch_norm_training", [Pure]> {
  let summary = "normalisation over the batch and spatial dimensions";
  let description = [{
    Mean and variance of every feature over all other dimensions, and the
    operand normalised with them.

    Constraints of the specification: C1 to C7.
  }];
  let arguments = (ins Hlo_FpOrQuantTensor:$operand, Hlo_FpOrQuantTensor:$scale,
                       Hlo_FpOrQuantTensor:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Hlo_FpOrQuantTensor:$output, Hlo_FpOrQuantTensor:$batch_mean,
                      Hlo_FpOrQuantTensor:$batch_var);
}

#endif // MAPWRIGHT_STABLEHLO_REDUCTION
