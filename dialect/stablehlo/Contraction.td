//===- Contraction.td - products, convolutions, linear algebra ------------===//

#ifndef MAPWRIGHT_STABLEHLO_CONTRACTION
#define MAPWRIGHT_STABLEHLO_CONTRACTION

include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_DotOp : StableHLO_Op<"dot", [Pure]> {
  let summary = "product of vectors and matrices";
  let description = [{
    The product of two vectors, of a matrix and a vector, or of two
    matrices. Kept for programs that have it; `dot_general` says the same
    and more.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       OptionalAttr<StableHLO_PrecisionConfigAttr>
                           :$precision_config);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure]> {
  let summary = "product over contracting dimensions, in batches";
  let description = [{
    Sums products over the contracting dimensions, for every index of the
    batching dimensions, which come first in the result, and of the
    remaining dimensions of `lhs` and then of `rhs`. `algorithm` prescribes
    how to compute it.

    ```mlir
    %result = stablehlo.dot_general %lhs, %rhs,
      batching_dims = [0] x [0], contracting_dims = [2] x [1],
      precision = [DEFAULT, DEFAULT]
      : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    ```

    Constraints of the specification: C1 to C24.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       StableHLO_DotAttr:$dot_dimension_numbers,
                       OptionalAttr<StableHLO_PrecisionConfigAttr>
                           :$precision_config,
                       OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
    custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
    `:` functional-type(operands, results)
  }];
}
def StableHLO_EinsumOp : StableHLO_Op<"einsum", [Pure]> {
  let summary = "product in Einstein's notation";
  let description = [{
    Products summed as an equation such as `ab,bc->ac` says. Kept for
    programs that have it.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       StrAttr:$einsum_config);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_UnaryEinsumOp : StableHLO_Op<"unary_einsum", [Pure]> {
  let summary = "transpose and sum in Einstein's notation";
  let description = [{
    Dimensions of one tensor permuted and summed as an equation such as
    `ab->a` says. Kept for programs that have it.
  }];
  let arguments = (ins Hlo_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_ConvolutionOp : StableHLO_Op<"convolution", [Pure]> {
  let summary = "convolution";
  let description = [{
    Slides the kernel over the padded and dilated input and sums products
    over window and features. `dimension_numbers` says what each dimension
    is; groups split features or batches into independent convolutions.

    ```mlir
    %result = stablehlo.convolution(%lhs, %rhs)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [4, 4], pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x2x2x1xi64>
    ```

    Constraints of the specification: C1 to C34.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       OptionalAttr<Hlo_I64ListAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding,
                       OptionalAttr<Hlo_I64ListAttr>:$lhs_dilation,
                       OptionalAttr<Hlo_I64ListAttr>:$rhs_dilation,
                       OptionalAttr<Hlo_BoolListAttr>:$window_reversal,
                       StableHLO_ConvAttr:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<StableHLO_PrecisionConfigAttr>
                           :$precision_config);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    `(`operands`)` `dim_numbers` `=`
    custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
    custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                             $rhs_dilation, $window_reversal)
    `}` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_CholeskyOp : StableHLO_InferredOp<"cholesky", [Pure]> {
  let summary = "Cholesky factor of Hermitian matrices";
  let description = [{
    For every matrix in the last two dimensions the lower (or upper)
    triangular factor whose product with its adjoint is the matrix. Only one
    triangle is read; what is in the other one of the result is not defined.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Hlo_FpOrComplexTensor:$a,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs Hlo_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
    custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}
def StableHLO_TriangularSolveOp
    : StableHLO_InferredOp<"triangular_solve", [Pure]> {
  let summary = "solutions of triangular systems of equations";
  let description = [{
    Solves `op(a) x = b` or `x op(a) = b` for every pair of matrices, where
    `a` is triangular and `op` nothing, the transpose or the adjoint. With
    `unit_diagonal` its diagonal is taken to be one.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Hlo_FpOrComplexTensor:$a, Hlo_FpOrComplexTensor:$b,
                       BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal,
                       StableHLO_TransposeAttr:$transpose_a);
  let results = (outs Hlo_FpOrComplexTensor:$result);
}
def StableHLO_FftOp : StableHLO_InferredOp<"fft", [Pure]> {
  let summary = "discrete Fourier transform";
  let description = [{
    The Fourier transform, or its inverse, over the last one to three
    dimensions, whose sizes are `fft_length`. Real transforms keep the first
    half of the spectrum, which determines the rest.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Hlo_FpOrComplexTensor:$operand,
                       StableHLO_FftTypeAttr:$fft_type,
                       Hlo_I64ListAttr:$fft_length);
  let results = (outs Hlo_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` custom<EnumWord>($fft_type) `,` `length` `=` $fft_length attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MAPWRIGHT_STABLEHLO_CONTRACTION
