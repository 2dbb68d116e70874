//===- Structural.td - operations that move elements ----------------------===//

#ifndef MAPWRIGHT_MHLO_STRUCTURAL
#define MAPWRIGHT_MHLO_STRUCTURAL

include "mhlo/OpAttrs.td"
include "mhlo/Types.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

// An operation without a syntax of its own.
class MHLO_PlainOp<string mnemonic, string what, dag ins, dag outs>
    : MHLO_Op<mnemonic, [Pure]> {
  let summary = what;
  let arguments = ins;
  let results = outs;
}

// `mhlo.name %a, %b : (types) -> types`
class MHLO_FunctionalOp<string mnemonic, string what, dag ins, dag outs>
    : MHLO_PlainOp<mnemonic, what, ins, outs> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def MHLO_ConstantOp
    : MHLO_Op<"constant", [ConstantLike, Pure]> {
  let summary = "a constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<Hlo_Any>:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}
def MHLO_IotaOp : MHLO_PlainOp<"iota", "0, 1, 2, … along a dimension",
    (ins I64Attr:$iota_dimension), (outs Hlo_Tensor:$output)>;
def MHLO_BroadcastInDimOp : MHLO_PlainOp<"broadcast_in_dim",
    "elements repeated along new or unit dimensions",
    (ins Hlo_Tensor:$operand, MHLO_DimsAttr:$broadcast_dimensions),
    (outs Hlo_Tensor:$result)>;
def MHLO_BroadcastOp : MHLO_PlainOp<"broadcast",
    "elements repeated along new leading dimensions",
    (ins Hlo_Tensor:$operand, MHLO_DimsAttr:$broadcast_sizes),
    (outs Hlo_Tensor:$result)>;
def MHLO_ReshapeOp : MHLO_FunctionalOp<"reshape",
    "the same elements in another shape", (ins Hlo_Tensor:$operand),
    (outs Hlo_Tensor:$result)>;
def MHLO_BitcastOp : MHLO_FunctionalOp<"bitcast",
    "the same bytes as another type", (ins Hlo_Tensor:$operand),
    (outs Hlo_Tensor:$result)>;
def MHLO_CopyOp : MHLO_Op<"copy", [Pure]> {
  let summary = "a copy";
  let arguments = (ins MHLO_Value:$operand,
                       OptionalAttr<I32Attr>:$cross_program_prefetch_index);
  let results = (outs MHLO_Value:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def MHLO_TransposeOp : MHLO_PlainOp<"transpose",
    "a permutation of the dimensions",
    (ins Hlo_Tensor:$operand, MHLO_DimsAttr:$permutation),
    (outs Hlo_Tensor:$result)>;
def MHLO_ReverseOp : MHLO_PlainOp<"reverse",
    "elements in reverse order along dimensions",
    (ins Hlo_Tensor:$operand, MHLO_DimsAttr:$dimensions),
    (outs Hlo_Tensor:$result)>;
def MHLO_ConcatenateOp : MHLO_PlainOp<"concatenate",
    "tensors one after the other along a dimension",
    (ins Variadic<Hlo_Tensor>:$val, I64Attr:$dimension),
    (outs Hlo_Tensor:$result)>;
def MHLO_PadOp : MHLO_PlainOp<"pad",
    "padding at the edges and between elements",
    (ins Hlo_Tensor:$operand, Hlo_ScalarTensor:$padding_value,
         MHLO_DimsAttr:$edge_padding_low, MHLO_DimsAttr:$edge_padding_high,
         MHLO_DimsAttr:$interior_padding),
    (outs Hlo_Tensor:$result)>;
def MHLO_SliceOp : MHLO_PlainOp<"slice", "a strided box of a tensor",
    (ins Hlo_Tensor:$operand, MHLO_DimsAttr:$start_indices,
         MHLO_DimsAttr:$limit_indices, MHLO_DimsAttr:$strides),
    (outs Hlo_Tensor:$result)>;
def MHLO_DynamicSliceOp : MHLO_PlainOp<"dynamic_slice",
    "a box of a tensor at indices known at run time",
    (ins Hlo_Tensor:$operand, Variadic<Hlo_ScalarIntTensor>:$start_indices,
         MHLO_DimsAttr:$slice_sizes),
    (outs Hlo_Tensor:$result)>;
def MHLO_DynamicUpdateSliceOp : MHLO_FunctionalOp<"dynamic_update_slice",
    "a tensor with a box replaced",
    (ins Hlo_Tensor:$operand, Hlo_Tensor:$update,
         Variadic<Hlo_ScalarIntTensor>:$start_indices),
    (outs Hlo_Tensor:$result)>;
def MHLO_GatherOp : MHLO_PlainOp<"gather",
    "slices of a tensor at indices of another one",
    (ins Hlo_Tensor:$operand, Hlo_IntTensor:$start_indices,
         MHLO_GatherAttr:$dimension_numbers, MHLO_DimsAttr:$slice_sizes,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted),
    (outs Hlo_Tensor:$result)>;
def MHLO_TorchIndexSelectOp : MHLO_PlainOp<"torch_index_select",
    "slices along one dimension",
    (ins Hlo_Tensor:$operand, Hlo_IntTensor:$index, I64Attr:$dim,
         I64Attr:$batch_dims),
    (outs Hlo_Tensor:$result)>;
def MHLO_GetDimensionSizeOp : MHLO_PlainOp<"get_dimension_size",
    "the size of a dimension", (ins Hlo_Tensor:$operand, I64Attr:$dimension),
    (outs Hlo_ScalarSI32Tensor:$result)>;
def MHLO_SetDimensionSizeOp : MHLO_PlainOp<"set_dimension_size",
    "a dimension cut to a size known at run time",
    (ins Hlo_Tensor:$operand, Hlo_ScalarSI32Tensor:$size, I64Attr:$dimension),
    (outs Hlo_Tensor:$result)>;

// Shapes given at run time.
def MHLO_DynamicReshapeOp : MHLO_FunctionalOp<"dynamic_reshape",
    "the same elements in a shape given at run time",
    (ins Hlo_Tensor:$operand, Hlo_DimensionTensor:$output_shape),
    (outs Hlo_Tensor:$result)>;
def MHLO_DynamicBroadcastInDimOp : MHLO_PlainOp<"dynamic_broadcast_in_dim",
    "a broadcast to a shape given at run time",
    (ins Hlo_Tensor:$operand, Hlo_DimensionTensor:$output_dimensions,
         MHLO_DimsAttr:$broadcast_dimensions,
         MHLO_OptionalDimsAttr:$known_expanding_dimensions,
         MHLO_OptionalDimsAttr:$known_nonexpanding_dimensions),
    (outs Hlo_Tensor:$result)>;
def MHLO_DynamicIotaOp : MHLO_PlainOp<"dynamic_iota",
    "an iota of a shape given at run time",
    (ins Hlo_DimensionTensor:$output_shape, I64Attr:$iota_dimension),
    (outs Hlo_Tensor:$result)>;
def MHLO_DynamicPadOp : MHLO_FunctionalOp<"dynamic_pad",
    "padding by amounts given at run time",
    (ins Hlo_Tensor:$operand, Hlo_ScalarTensor:$padding_value,
         Hlo_DimensionTensor:$edge_padding_low,
         Hlo_DimensionTensor:$edge_padding_high,
         Hlo_DimensionTensor:$interior_padding),
    (outs Hlo_Tensor:$result)>;
def MHLO_DynamicGatherOp : MHLO_PlainOp<"dynamic_gather",
    "a gather with slice sizes given at run time",
    (ins Hlo_Tensor:$operand, Hlo_IntTensor:$start_indices,
         Hlo_DimensionTensor:$slice_sizes, MHLO_GatherAttr:$dimension_numbers,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted),
    (outs Hlo_Tensor:$result)>;
def MHLO_RealDynamicSliceOp : MHLO_FunctionalOp<"real_dynamic_slice",
    "a strided box given at run time",
    (ins Hlo_Tensor:$operand, Hlo_DimensionTensor:$start_indices,
         Hlo_DimensionTensor:$limit_indices, Hlo_DimensionTensor:$strides),
    (outs Hlo_Tensor:$result)>;
def MHLO_MinimumBroadcastShapesOp : MHLO_Op<"minimum_broadcast_shapes", [Pure]> {
  let summary = "the smallest ranks to which shapes can be collapsed";
  let arguments = (ins Variadic<1DTensorOf<[Index]>>:$shapes);
  let results = (outs Variadic<1DTensorOf<[Index]>>:$results);
  let assemblyFormat = [{
    $shapes attr-dict `:` type($shapes) `->` type($results)
  }];
}

// Products and linear algebra.
def MHLO_DotOp : MHLO_PlainOp<"dot", "product of vectors and matrices",
    (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
         OptionalAttr<MHLO_PrecisionConfigAttr>:$precision_config),
    (outs Hlo_Tensor:$result)>;
def MHLO_DotGeneralOp : MHLO_PlainOp<"dot_general",
    "product over contracting dimensions, in batches",
    (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs, MHLO_DotAttr:$dot_dimension_numbers,
         OptionalAttr<MHLO_PrecisionConfigAttr>:$precision_config,
         OptionalAttr<MHLO_DotAlgorithmAttr>:$algorithm),
    (outs Hlo_Tensor:$result)>;
def MHLO_RaggedDotOp : MHLO_PlainOp<"ragged_dot",
    "a product in groups of rows of different sizes",
    (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs, Hlo_IntTensor:$group_sizes,
         MHLO_RaggedDotAttr:$ragged_dot_dimension_numbers,
         OptionalAttr<MHLO_PrecisionConfigAttr>:$precision_config),
    (outs Hlo_Tensor:$result)>;
def MHLO_EinsumOp : MHLO_PlainOp<"einsum", "product in Einstein's notation",
    (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs, StrAttr:$einsum_config),
    (outs Hlo_Tensor:$result)>;
def MHLO_UnaryEinsumOp : MHLO_PlainOp<"unary_einsum",
    "transpose and sum in Einstein's notation",
    (ins Hlo_Tensor:$operand, StrAttr:$einsum_config),
    (outs Hlo_Tensor:$result)>;
def MHLO_ConvolutionOp : MHLO_Op<"convolution", [Pure]> {
  let summary = "convolution";
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       MHLO_OptionalDimsAttr:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding,
                       MHLO_OptionalDimsAttr:$lhs_dilation,
                       MHLO_OptionalDimsAttr:$rhs_dilation,
                       MHLO_OptionalBoolsAttr:$window_reversal,
                       MHLO_ConvAttr:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<MHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    `(`operands`)` `dim_numbers` `=`
    custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
    custom<LegacyWindowAttributes>($window_strides, $padding, $lhs_dilation,
                                   $rhs_dilation, $window_reversal)
    `}` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def MHLO_DynamicConvOp : MHLO_PlainOp<"dynamic_conv",
    "a convolution with padding given at run time",
    (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs, Hlo_IntTensor:$d_padding,
         MHLO_OptionalDimsAttr:$window_strides,
         OptionalAttr<I64ElementsAttr>:$padding,
         MHLO_OptionalDimsAttr:$lhs_dilation,
         MHLO_OptionalDimsAttr:$rhs_dilation,
         MHLO_OptionalBoolsAttr:$window_reversal,
         MHLO_ConvAttr:$dimension_numbers, I64Attr:$feature_group_count,
         I64Attr:$batch_group_count,
         OptionalAttr<MHLO_PrecisionConfigAttr>:$precision_config),
    (outs Hlo_Tensor:$result)>;
def MHLO_CholeskyOp : MHLO_PlainOp<"cholesky",
    "Cholesky factor of Hermitian matrices",
    (ins Hlo_FpOrComplexTensor:$a,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$lower),
    (outs Hlo_FpOrComplexTensor:$result)>;
def MHLO_TriangularSolveOp : MHLO_PlainOp<"triangular_solve",
    "solutions of triangular systems of equations",
    (ins Hlo_FpOrComplexTensor:$a, Hlo_FpOrComplexTensor:$b,
         BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
         MHLO_TransposeAttr:$transpose_a),
    (outs Hlo_FpOrComplexTensor:$result)>;
def MHLO_FftOp : MHLO_PlainOp<"fft", "discrete Fourier transform",
    (ins Hlo_FpOrComplexTensor:$operand, MHLO_FftTypeAttr:$fft_type,
         MHLO_DimsAttr:$fft_length),
    (outs Hlo_FpOrComplexTensor:$result)>;
def MHLO_TopKOp : MHLO_Op<"topk", [Pure]> {
  let summary = "the largest or smallest elements, and their indices";
  let arguments = (ins TensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$operand,
                       I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$largest);
  let results = (outs TensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$values,
                      TensorOf<[Hlo_Int]>:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `largest` `=` $largest^)? `)` attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

// Normalisation.
def MHLO_BatchNormGradOp : MHLO_PlainOp<"batch_norm_grad",
    "gradient of the batch normalisation",
    (ins Hlo_FpTensor:$operand, Hlo_FpTensor:$scale, Hlo_FpTensor:$mean,
         Hlo_FpTensor:$variance, Hlo_FpTensor:$grad_output, F32Attr:$epsilon,
         I64Attr:$feature_index),
    (outs Hlo_FpTensor:$grad_operand, Hlo_FpTensor:$grad_scale,
          Hlo_FpTensor:$grad_offset)>;
def MHLO_BatchNormInferenceOp : MHLO_PlainOp<"batch_norm_inference",
    "normalisation with a given mean and variance",
    (ins Hlo_FpTensor:$operand, Hlo_FpTensor:$scale, Hlo_FpTensor:$offset,
         Hlo_FpTensor:$mean, Hlo_FpTensor:$variance, F32Attr:$epsilon,
         I64Attr:$feature_index),
    (outs Hlo_FpTensor:$result)>;
def MHLO_BatchNormTrainingOp : MHLO_PlainOp<"batch_norm_training",
    "normalisation over the batch and spatial dimensions",
    (ins Hlo_FpTensor:$operand, Hlo_FpTensor:$scale, Hlo_FpTensor:$offset,
         F32Attr:$epsilon, I64Attr:$feature_index),
    (outs Hlo_FpTensor:$output, Hlo_FpTensor:$batch_mean,
          Hlo_FpTensor:$batch_var)>;

// The state of the generator has one type, so that the text leaves it out.
def MHLO_RngStateTensor
    : 1DTensorOf<[UI64]>,
      BuildableType<"::mlir::RankedTensorType::get({2}, "
                    "$_builder.getIntegerType(64, /*isSigned=*/false))">;

// Random numbers; they have state, or are not the same each time.
def MHLO_RngOp : MHLO_Op<"rng"> {
  let summary = "random numbers of a distribution";
  let arguments = (ins 0DTensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$a,
                       0DTensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$b,
                       Hlo_DimensionTensor:$shape,
                       MHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs Hlo_Tensor:$result);
}
def MHLO_RngBitGeneratorOp : MHLO_PlainOp<"rng_bit_generator",
    "random bits of a generator, and its next state",
    (ins MHLO_RngAlgorithmAttr:$rng_algorithm, Hlo_Tensor:$initial_state),
    (outs Hlo_Tensor:$output_state, Hlo_Tensor:$output)>;
def MHLO_XlaRngGetAndUpdateStateOp : MHLO_Op<"xla.rng_get_and_update_state"> {
  let summary = "the state of the generator, which is then advanced";
  let arguments = (ins I64Attr:$delta);
  let results = (outs MHLO_RngStateTensor:$result);
  let assemblyFormat = "attr-dict";
}

#endif // MAPWRIGHT_MHLO_STRUCTURAL
