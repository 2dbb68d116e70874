//===- Elementwise.td - element-wise operations ---------------------------===//

#ifndef MAPWRIGHT_STABLEHLO_ELEMENTWISE
#define MAPWRIGHT_STABLEHLO_ELEMENTWISE

include "mlir/IR/OpAsmInterface.td"
include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

class StableHLO_UnaryOp<string mnemonic, TypeConstraint type,
                        TypeConstraint resultType = type,
                        list<Trait> traits = []>
    : StableHLO_InferredOp<mnemonic, [Pure] # traits> {
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

// With a demand on the accuracy of the result.
class StableHLO_AccurateUnaryOp<string mnemonic>
    : StableHLO_UnaryOp<mnemonic, Hlo_FloatLikeTensor> {
  let arguments = (ins Hlo_FloatLikeTensor:$operand,
                       StableHLO_OptionalResultAccuracyAttr:$result_accuracy);
}

class StableHLO_BinaryOp<string mnemonic, TypeConstraint type,
                         TypeConstraint resultType = type,
                         list<Trait> traits = []>
    : StableHLO_InferredOp<mnemonic, [Pure] # traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

def StableHLO_AbsOp : StableHLO_UnaryOp<"abs", Hlo_SignedTensor> {
  let summary = "absolute value";
  let description = [{
    The absolute value of every element; of a complex element its modulus.

    ```mlir
    %result = stablehlo.abs %operand : tensor<3xi32>
    ```
  }];
}
def StableHLO_CbrtOp : StableHLO_AccurateUnaryOp<"cbrt"> {
  let summary = "cube root";
}
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", Hlo_FpOrQuantTensor> {
  let summary = "round toward plus infinity";
}
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", Hlo_IntTensor> {
  let summary = "number of leading zero bits";
}
def StableHLO_CosineOp : StableHLO_AccurateUnaryOp<"cosine"> {
  let summary = "cosine";
}
def StableHLO_ExpOp : StableHLO_AccurateUnaryOp<"exponential"> {
  let summary = "e to the power of every element";
}
def StableHLO_Expm1Op : StableHLO_AccurateUnaryOp<"exponential_minus_one"> {
  let summary = "e to the power of every element, minus one";
}
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", Hlo_FpOrQuantTensor> {
  let summary = "round toward minus infinity";
}
def StableHLO_ImagOp
    : StableHLO_UnaryOp<"imag", Hlo_FpOrComplexTensor, Hlo_FpTensor> {
  let summary = "imaginary part";
}
def StableHLO_IsFiniteOp
    : StableHLO_UnaryOp<"is_finite", Hlo_FpOrQuantTensor, Hlo_PredTensor> {
  let summary = "whether an element is neither infinite nor NaN";
  let arguments = (ins Hlo_FpOrQuantTensor:$x);
  let results = (outs Hlo_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def StableHLO_LogOp : StableHLO_AccurateUnaryOp<"log"> {
  let summary = "natural logarithm";
}
def StableHLO_Log1pOp : StableHLO_AccurateUnaryOp<"log_plus_one"> {
  let summary = "natural logarithm of one plus every element";
}
def StableHLO_LogisticOp : StableHLO_AccurateUnaryOp<"logistic"> {
  let summary = "logistic function";
}
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", Hlo_NumericTensor> {
  let summary = "negation";
}
def StableHLO_NotOp : StableHLO_UnaryOp<"not", Hlo_PredOrIntTensor> {
  let summary = "complement of every bit, or logical negation";
}
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", Hlo_IntTensor> {
  let summary = "number of bits that are set";
}
def StableHLO_RealOp
    : StableHLO_UnaryOp<"real", Hlo_FpOrComplexTensor, Hlo_FpTensor> {
  let summary = "real part";
}
def StableHLO_RoundOp
    : StableHLO_UnaryOp<"round_nearest_afz", Hlo_FpOrQuantTensor> {
  let summary = "round to the nearest integer, ties away from zero";
}
def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", Hlo_FpOrQuantTensor> {
  let summary = "round to the nearest integer, ties to the even one";
}
def StableHLO_RsqrtOp : StableHLO_AccurateUnaryOp<"rsqrt"> {
  let summary = "reciprocal of the square root";
}
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", Hlo_SignedTensor> {
  let summary = "sign: -1, 0 or 1, for complex elements x / |x|";
}
def StableHLO_SineOp : StableHLO_AccurateUnaryOp<"sine"> {
  let summary = "sine";
}
def StableHLO_SqrtOp : StableHLO_AccurateUnaryOp<"sqrt"> {
  let summary = "square root";
}
def StableHLO_TanOp : StableHLO_AccurateUnaryOp<"tan"> {
  let summary = "tangent";
}
def StableHLO_TanhOp : StableHLO_AccurateUnaryOp<"tanh"> {
  let summary = "hyperbolic tangent";
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def StableHLO_ConvertOp : StableHLO_Op<"convert", [Pure]> {
  let summary = "conversion of the element type";
  let arguments = (ins Hlo_Tensor:$operand);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "the same bits as another element type";
  let arguments = (ins Hlo_Tensor:$operand);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_ReducePrecisionOp
    : StableHLO_InferredOp<"reduce_precision", [Pure]> {
  let summary = "round to a narrower floating-point format and back";
  let arguments = (ins Hlo_FpOrQuantTensor:$operand, I32Attr:$exponent_bits,
                       I32Attr:$mantissa_bits);
  let results = (outs Hlo_FpOrQuantTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=`
    custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}
def StableHLO_UniformQuantizeOp
    : StableHLO_Op<"uniform_quantize", [Pure]> {
  let summary = "quantise floats, or change the quantisation";
  let arguments = (ins RankedTensorOf<[Hlo_Float, Hlo_Quantized]>:$operand);
  let results = (outs Hlo_QuantTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_UniformDequantizeOp
    : StableHLO_InferredOp<"uniform_dequantize", [Pure]> {
  let summary = "the floats that quantised elements stand for";
  let arguments = (ins Hlo_QuantTensor:$operand);
  let results = (outs Hlo_FpTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

def StableHLO_AddOp
    : StableHLO_BinaryOp<"add", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "sum; logical or of booleans";
  let description = [{
    ```mlir
    %result = stablehlo.add %lhs, %rhs : tensor<2x2xi32>
    ```
  }];
}
def StableHLO_AndOp
    : StableHLO_BinaryOp<"and", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                         [Commutative]> {
  let summary = "conjunction, bit by bit";
}
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", Hlo_FloatLikeTensor> {
  let summary = "angle of the point (rhs, lhs)";
}
def StableHLO_ComplexOp : StableHLO_InferredOp<"complex", [Pure]> {
  let summary = "complex numbers from real and imaginary parts";
  let arguments = (ins Hlo_FpTensorF32F64:$lhs, Hlo_FpTensorF32F64:$rhs);
  let results = (outs Hlo_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", Hlo_NumericTensor> {
  let summary = "quotient, of integers rounded toward zero";
}
def StableHLO_MaxOp
    : StableHLO_BinaryOp<"maximum", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "the larger of both; complex numbers lexicographically";
}
def StableHLO_MinOp
    : StableHLO_BinaryOp<"minimum", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "the smaller of both; complex numbers lexicographically";
}
def StableHLO_MulOp
    : StableHLO_BinaryOp<"multiply", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "product; logical and of booleans";
}
def StableHLO_OrOp
    : StableHLO_BinaryOp<"or", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                         [Commutative]> {
  let summary = "disjunction, bit by bit";
}
def StableHLO_PowOp : StableHLO_BinaryOp<"power", Hlo_NumericTensor> {
  let summary = "lhs to the power of rhs";
}
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", Hlo_NumericTensor> {
  let summary = "remainder of the division, with the sign of lhs";
}
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", Hlo_IntTensor> {
  let summary = "shift to the left";
}
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", Hlo_IntTensor> {
  let summary = "shift to the right, keeping the sign";
}
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", Hlo_IntTensor> {
  let summary = "shift to the right, bringing in zeros";
}
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract", Hlo_NumericTensor> {
  let summary = "difference";
}
def StableHLO_XorOp
    : StableHLO_BinaryOp<"xor", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                         [Commutative]> {
  let summary = "exclusive or, bit by bit";
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

def StableHLO_CompareOp : StableHLO_InferredOp<"compare", [Pure]> {
  let summary = "comparison of elements";
  let description = [{
    ```mlir
    %result = stablehlo.compare  LT, %lhs, %rhs,  FLOAT
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    ```
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       StableHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<StableHLO_ComparisonTypeAttr>
                           :$compare_type);
  let results = (outs Hlo_PredTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_SelectOp : StableHLO_InferredOp<"select", [Pure]> {
  let summary = "elements of one tensor or another";
  let arguments = (ins Hlo_PredTensor:$pred, Hlo_Tensor:$on_true,
                       Hlo_Tensor:$on_false);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectOpType>(type($pred), type($on_true), type($on_false),
                         type($result))
  }];
}
def StableHLO_ClampOp : StableHLO_InferredOp<"clamp", [Pure]> {
  let summary = "elements kept between a minimum and a maximum";
  let arguments = (ins Hlo_Tensor:$min, Hlo_Tensor:$operand, Hlo_Tensor:$max);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max),
                                      type($result))
  }];
}

#endif // MAPWRIGHT_STABLEHLO_ELEMENTWISE
