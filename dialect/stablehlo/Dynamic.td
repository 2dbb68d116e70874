//===- Dynamic.td - operations with shapes given at run time --------------===//

#ifndef MAPWRIGHT_STABLEHLO_DYNAMIC
#define MAPWRIGHT_STABLEHLO_DYNAMIC

include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [Pure]> {
  let summary = "the same elements in a shape given at run time";
  let description = [{
    As `reshape`, to the shape that `output_shape` holds when the program
    runs.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_DimensionTensor:$output_shape);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicBroadcastInDimOp
    : StableHLO_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "a broadcast to a shape given at run time";
  let description = [{
    As `broadcast_in_dim`, to the shape that `output_dimensions` holds when
    the program runs. Two lists say which dimensions are known to be
    repeated, or not to be.

    Constraints of the specification: C1 to C10.
  }];
  let arguments = (ins Hlo_Tensor:$operand,
                       Hlo_DimensionTensor:$output_dimensions,
                       Hlo_I64ListAttr:$broadcast_dimensions,
                       OptionalAttr<Hlo_I64ListAttr>
                           :$known_expanding_dimensions,
                       OptionalAttr<Hlo_I64ListAttr>
                           :$known_nonexpanding_dimensions);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
    attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [Pure]> {
  let summary = "an iota of a shape given at run time";
  let description = [{
    As `iota`, of the shape that `output_shape` holds when the program runs.

    Constraints of the specification: C1, C2.
  }];
  let arguments = (ins Hlo_DimensionTensor:$output_shape,
                       I64Attr:$iota_dimension);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [Pure]> {
  let summary = "padding by amounts given at run time";
  let description = [{
    As `pad`, by amounts that are values when the program runs.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_ScalarTensor:$padding_value,
                       Hlo_DimensionTensor:$edge_padding_low,
                       Hlo_DimensionTensor:$edge_padding_high,
                       Hlo_DimensionTensor:$interior_padding);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicGatherOp : StableHLO_InferredOp<"dynamic_gather", [Pure]> {
  let summary = "a gather with slice sizes given at run time";
  let description = [{
    As `gather`, with slice sizes that are values when the program runs.

    Constraints of the specification: C1 to C14.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_IntTensor:$start_indices,
                       Hlo_DimensionTensor:$slice_sizes,
                       StableHLO_GatherAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">
                           :$indices_are_sorted);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_DynamicConvOp : StableHLO_Op<"dynamic_conv", [Pure]> {
  let summary = "a convolution with padding given at run time";
  let description = [{
    As `convolution`, with a padding that is a value when the program runs.

    Constraints of the specification: C1 to C34.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       Hlo_IntTensor:$padding,
                       OptionalAttr<Hlo_I64ListAttr>:$window_strides,
                       OptionalAttr<Hlo_I64ListAttr>:$lhs_dilation,
                       OptionalAttr<Hlo_I64ListAttr>:$rhs_dilation,
                       OptionalAttr<Hlo_BoolListAttr>:$window_reversal,
                       StableHLO_ConvAttr:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<StableHLO_PrecisionConfigAttr>
                           :$precision_config);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice", [Pure]> {
  let summary = "a strided box whose place and size are given at run time";
  let description = [{
    As `slice`, with starts, limits and strides that are values when the
    program runs. Kept for programs that have it.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_DimensionTensor:$start_indices,
                       Hlo_DimensionTensor:$limit_indices,
                       Hlo_DimensionTensor:$strides);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MAPWRIGHT_STABLEHLO_DYNAMIC
