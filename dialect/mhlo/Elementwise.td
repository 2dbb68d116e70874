//===- Elementwise.td - element-wise operations ---------------------------===//

#ifndef MAPWRIGHT_MHLO_ELEMENTWISE
#define MAPWRIGHT_MHLO_ELEMENTWISE

include "mhlo/OpAttrs.td"
include "mhlo/Types.td"

class MHLO_UnaryOp<string mnemonic, string what, TypeConstraint type,
                   TypeConstraint resultType = type>
    : MHLO_Op<mnemonic, [Pure]> {
  let summary = what;
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

class MHLO_AccurateUnaryOp<string mnemonic, string what>
    : MHLO_UnaryOp<mnemonic, what, Hlo_FloatLikeTensor> {
  let arguments = (ins Hlo_FloatLikeTensor:$operand,
                       MHLO_OptionalResultAccuracyAttr:$result_accuracy);
}

class MHLO_BinaryOp<string mnemonic, string what, TypeConstraint type,
                    list<Trait> traits = []>
    : MHLO_Op<mnemonic, [Pure] # traits> {
  let summary = what;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

def MHLO_AbsOp : MHLO_UnaryOp<"abs", "absolute value", Hlo_SignedTensor>;
def MHLO_AcosOp : MHLO_UnaryOp<"acos", "inverse cosine", Hlo_FpOrComplexTensor>;
def MHLO_AcoshOp
    : MHLO_UnaryOp<"acosh", "inverse hyperbolic cosine", Hlo_FpOrComplexTensor>;
def MHLO_AsinOp : MHLO_UnaryOp<"asin", "inverse sine", Hlo_FpOrComplexTensor>;
def MHLO_AsinhOp
    : MHLO_UnaryOp<"asinh", "inverse hyperbolic sine", Hlo_FpOrComplexTensor>;
def MHLO_AtanhOp
    : MHLO_UnaryOp<"atanh", "inverse hyperbolic tangent",
                   Hlo_FpOrComplexTensor>;
def MHLO_CbrtOp : MHLO_AccurateUnaryOp<"cbrt", "cube root">;
def MHLO_CeilOp
    : MHLO_UnaryOp<"ceil", "round toward plus infinity", Hlo_FpOrQuantTensor>;
def MHLO_ClzOp
    : MHLO_UnaryOp<"count_leading_zeros", "number of leading zero bits",
                   Hlo_IntTensor>;
def MHLO_CoshOp
    : MHLO_UnaryOp<"cosh", "hyperbolic cosine", Hlo_FpOrComplexTensor>;
def MHLO_CosineOp : MHLO_AccurateUnaryOp<"cosine", "cosine">;
def MHLO_ErfOp : MHLO_UnaryOp<"erf", "error function", Hlo_FpTensor>;
def MHLO_ExpOp
    : MHLO_AccurateUnaryOp<"exponential", "e to the power of every element">;
def MHLO_Expm1Op
    : MHLO_AccurateUnaryOp<"exponential_minus_one",
                           "e to the power of every element, minus one">;
def MHLO_FloorOp
    : MHLO_UnaryOp<"floor", "round toward minus infinity", Hlo_FpOrQuantTensor>;
def MHLO_ImagOp
    : MHLO_UnaryOp<"imag", "imaginary part", Hlo_FpOrComplexTensor,
                   Hlo_FpTensor>;
def MHLO_IsFiniteOp
    : MHLO_UnaryOp<"is_finite", "whether an element is neither infinite nor NaN",
                   Hlo_FpOrQuantTensor, Hlo_PredTensor>;
def MHLO_LogOp : MHLO_AccurateUnaryOp<"log", "natural logarithm">;
def MHLO_Log1pOp
    : MHLO_AccurateUnaryOp<"log_plus_one",
                           "natural logarithm of one plus every element">;
def MHLO_LogisticOp : MHLO_AccurateUnaryOp<"logistic", "logistic function">;
def MHLO_NegOp : MHLO_UnaryOp<"negate", "negation", Hlo_NumericTensor>;
def MHLO_NotOp
    : MHLO_UnaryOp<"not", "complement of every bit, or logical negation",
                   Hlo_PredOrIntTensor>;
def MHLO_PopulationCountOp
    : MHLO_UnaryOp<"popcnt", "number of bits that are set", Hlo_IntTensor>;
def MHLO_RealOp
    : MHLO_UnaryOp<"real", "real part", Hlo_FpOrComplexTensor, Hlo_FpTensor>;
def MHLO_RoundOp
    : MHLO_UnaryOp<"round_nearest_afz", "round, ties away from zero",
                   Hlo_FpOrQuantTensor>;
def MHLO_RoundNearestEvenOp
    : MHLO_UnaryOp<"round_nearest_even", "round, ties to even",
                   Hlo_FpOrQuantTensor>;
def MHLO_RsqrtOp
    : MHLO_AccurateUnaryOp<"rsqrt", "reciprocal of the square root">;
def MHLO_SignOp : MHLO_UnaryOp<"sign", "sign", Hlo_SignedTensor>;
def MHLO_SineOp : MHLO_AccurateUnaryOp<"sine", "sine">;
def MHLO_SinhOp
    : MHLO_UnaryOp<"sinh", "hyperbolic sine", Hlo_FpOrComplexTensor>;
def MHLO_SqrtOp : MHLO_AccurateUnaryOp<"sqrt", "square root">;
def MHLO_TanOp : MHLO_AccurateUnaryOp<"tan", "tangent">;
def MHLO_TanhOp : MHLO_AccurateUnaryOp<"tanh", "hyperbolic tangent">;

def MHLO_AddOp : MHLO_BinaryOp<"add", "sum", Hlo_Tensor, [Commutative]>;
def MHLO_AndOp
    : MHLO_BinaryOp<"and", "conjunction", Hlo_PredOrIntTensor, [Commutative]>;
def MHLO_Atan2Op
    : MHLO_BinaryOp<"atan2", "angle of the point (rhs, lhs)",
                    Hlo_FloatLikeTensor>;
def MHLO_DivOp : MHLO_BinaryOp<"divide", "quotient", Hlo_NumericTensor>;
def MHLO_MaxOp
    : MHLO_BinaryOp<"maximum", "the larger of both", Hlo_Tensor, [Commutative]>;
def MHLO_MinOp
    : MHLO_BinaryOp<"minimum", "the smaller of both", Hlo_Tensor,
                    [Commutative]>;
def MHLO_MulOp
    : MHLO_BinaryOp<"multiply", "product", Hlo_Tensor, [Commutative]>;
def MHLO_MulHiOp
    : MHLO_BinaryOp<"mulhi", "upper half of the bits of a product",
                    Hlo_IntTensor>;
def MHLO_OrOp
    : MHLO_BinaryOp<"or", "disjunction", Hlo_PredOrIntTensor, [Commutative]>;
def MHLO_PowOp
    : MHLO_BinaryOp<"power", "lhs to the power of rhs", Hlo_NumericTensor>;
def MHLO_RemOp
    : MHLO_BinaryOp<"remainder", "remainder of the division",
                    Hlo_NumericTensor>;
def MHLO_ShiftLeftOp
    : MHLO_BinaryOp<"shift_left", "shift to the left", Hlo_IntTensor>;
def MHLO_ShiftRightArithmeticOp
    : MHLO_BinaryOp<"shift_right_arithmetic",
                    "shift to the right, keeping the sign", Hlo_IntTensor>;
def MHLO_ShiftRightLogicalOp
    : MHLO_BinaryOp<"shift_right_logical",
                    "shift to the right, bringing in zeros", Hlo_IntTensor>;
def MHLO_SubtractOp
    : MHLO_BinaryOp<"subtract", "difference", Hlo_NumericTensor>;
def MHLO_XorOp
    : MHLO_BinaryOp<"xor", "exclusive or", Hlo_PredOrIntTensor, [Commutative]>;

def MHLO_ComplexOp : MHLO_Op<"complex", [Pure]> {
  let summary = "complex numbers from real and imaginary parts";
  let arguments = (ins Hlo_FpTensorF32F64:$lhs, Hlo_FpTensorF32F64:$rhs);
  let results = (outs Hlo_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}
def MHLO_CompareOp : MHLO_Op<"compare", [Pure]> {
  let summary = "comparison of elements";
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       MHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<MHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs Hlo_PredTensor:$result);
  let assemblyFormat = [{
    custom<EnumWord>($comparison_direction) `,` $lhs `,` $rhs
    (`,` custom<EnumWord>($compare_type)^)?
    attr-dict `:` functional-type(operands, results)
  }];
}
def MHLO_SelectOp : MHLO_Op<"select", [Pure]> {
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
def MHLO_ClampOp : MHLO_Op<"clamp", [Pure]> {
  let summary = "elements kept between a minimum and a maximum";
  let arguments = (ins Hlo_Tensor:$min, Hlo_Tensor:$operand, Hlo_Tensor:$max);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max),
                                      type($result))
  }];
}

// Written without parentheses; older text has them.
class MHLO_ConversionOp<string mnemonic, string what, TypeConstraint type,
                        TypeConstraint resultType>
    : MHLO_Op<mnemonic, [Pure]> {
  let summary = what;
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    custom<MaybeParenthesized>($operand) attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def MHLO_ConvertOp
    : MHLO_ConversionOp<"convert", "conversion of the element type", Hlo_Tensor,
                        Hlo_Tensor>;
def MHLO_UniformQuantizeOp
    : MHLO_ConversionOp<"uniform_quantize", "quantisation",
                        RankedTensorOf<[Hlo_Float, Hlo_Quantized]>,
                        Hlo_QuantTensor>;
def MHLO_UniformDequantizeOp
    : MHLO_ConversionOp<"uniform_dequantize",
                        "the floats that quantised elements stand for",
                        Hlo_QuantTensor, Hlo_FpTensor>;
def MHLO_BitcastConvertOp : MHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "the same bits as another element type";
  let arguments = (ins Hlo_Tensor:$operand);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    custom<MaybeParenthesized>($operand) attr-dict `:`
    functional-type(operands, results)
  }];
}
def MHLO_ReducePrecisionOp : MHLO_Op<"reduce_precision", [Pure]> {
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
def MHLO_StochasticConvertOp : MHLO_Op<"stochastic_convert", [Pure]> {
  let summary = "conversion with random rounding";
  let arguments = (ins Hlo_FpTensor:$operand, RankedTensorOf<[Hlo_UInt]>:$random);
  let results = (outs Hlo_Tensor:$result);
}

#endif // MAPWRIGHT_MHLO_ELEMENTWISE
