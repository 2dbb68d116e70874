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
    Applies a computation along dimensions of the inputs. A computation that is
    a single commutative operation is written in one line:

    ```mlir
    %result = stablehlo.reduce(%input init: %init_value)
      applies stablehlo.add across dimensions = [1]
      : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
    ```
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
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       RankedTensorOf<[Index, Hlo_Int]>:$scatter_indices,
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
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Hlo_I64ListAttr:$dimensions);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_BatchNormGradOp
    : StableHLO_InferredOp<"batch_norm_grad", [Pure]> {
  let summary = "gradient of the batch normalisation";
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
  let arguments = (ins Hlo_FpOrQuantTensor:$operand, Hlo_FpOrQuantTensor:$scale,
                       Hlo_FpOrQuantTensor:$offset, Hlo_FpOrQuantTensor:$mean,
                       Hlo_FpOrQuantTensor:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Hlo_FpOrQuantTensor:$result);
}
def StableHLO_BatchNormTrainingOp
    : StableHLO_InferredOp<"batch_norm_training", [Pure]> {
  let summary = "normalisation over the batch and spatial dimensions";
  let arguments = (ins Hlo_FpOrQuantTensor:$operand, Hlo_FpOrQuantTensor:$scale,
                       Hlo_FpOrQuantTensor:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Hlo_FpOrQuantTensor:$output, Hlo_FpOrQuantTensor:$batch_mean,
                      Hlo_FpOrQuantTensor:$batch_var);
}

#endif // MAPWRIGHT_STABLEHLO_REDUCTION
