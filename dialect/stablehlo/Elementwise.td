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
    The absolute value of every element; of a complex element its modulus,
    as a float.

    ```mlir
    %result = stablehlo.abs %operand : tensor<3xi32>
    ```

    Constraints of the specification: C1, C2.
  }];
}
def StableHLO_CbrtOp : StableHLO_AccurateUnaryOp<"cbrt"> {
  let summary = "cube root";
  let description = [{
    The real cube root of every element, also of negative ones.
    `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", Hlo_FpOrQuantTensor> {
  let summary = "round toward plus infinity";
  let description = [{
    The smallest whole number that is not below the element, as a float.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", Hlo_IntTensor> {
  let summary = "number of leading zero bits";
  let description = [{
    How many bits from the highest one down are zero; the width of the type
    for zero.

    Constraints of the specification: C1.
  }];
}
def StableHLO_CosineOp : StableHLO_AccurateUnaryOp<"cosine"> {
  let summary = "cosine";
  let description = [{
    The cosine of an angle in radians. `result_accuracy` says how exact it
    has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ExpOp : StableHLO_AccurateUnaryOp<"exponential"> {
  let summary = "e to the power of every element";
  let description = [{
    Euler's number to the power of every element. `result_accuracy` says how
    exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_Expm1Op : StableHLO_AccurateUnaryOp<"exponential_minus_one"> {
  let summary = "e to the power of every element, minus one";
  let description = [{
    `exp(x) - 1` without the cancellation that computing it in two steps has
    near zero. `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", Hlo_FpOrQuantTensor> {
  let summary = "round toward minus infinity";
  let description = [{
    The largest whole number that is not above the element, as a float.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ImagOp
    : StableHLO_UnaryOp<"imag", Hlo_FpOrComplexTensor, Hlo_FpTensor> {
  let summary = "imaginary part";
  let description = [{
    The imaginary part of complex elements; zero for real ones.

    Constraints of the specification: C1, C2.
  }];
}
def StableHLO_IsFiniteOp
    : StableHLO_UnaryOp<"is_finite", Hlo_FpOrQuantTensor, Hlo_PredTensor> {
  let summary = "whether an element is neither infinite nor NaN";
  let description = [{
    True for numbers, false for infinities and NaN.

    Constraints of the specification: C1.
  }];
  let arguments = (ins Hlo_FpOrQuantTensor:$x);
  let results = (outs Hlo_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def StableHLO_LogOp : StableHLO_AccurateUnaryOp<"log"> {
  let summary = "natural logarithm";
  let description = [{
    The natural logarithm; NaN for negative elements, on the principal
    branch for complex ones. `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_Log1pOp : StableHLO_AccurateUnaryOp<"log_plus_one"> {
  let summary = "natural logarithm of one plus every element";
  let description = [{
    `log(1 + x)` without the loss of digits that computing it in two steps
    has near zero. `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_LogisticOp : StableHLO_AccurateUnaryOp<"logistic"> {
  let summary = "logistic function";
  let description = [{
    `1 / (1 + exp(-x))`. `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", Hlo_NumericTensor> {
  let summary = "negation";
  let description = [{
    Every element with the opposite sign; integers wrap around, so that the
    least one stays itself.

    Constraints of the specification: C1.
  }];
}
def StableHLO_NotOp : StableHLO_UnaryOp<"not", Hlo_PredOrIntTensor> {
  let summary = "complement of every bit, or logical negation";
  let description = [{
    Every bit inverted; true for false and false for true.

    Constraints of the specification: C1.
  }];
}
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", Hlo_IntTensor> {
  let summary = "number of bits that are set";
  let description = [{
    How many bits of every element are set.

    Constraints of the specification: C1.
  }];
}
def StableHLO_RealOp
    : StableHLO_UnaryOp<"real", Hlo_FpOrComplexTensor, Hlo_FpTensor> {
  let summary = "real part";
  let description = [{
    The real part of complex elements; real ones as they are.

    Constraints of the specification: C1, C2.
  }];
}
def StableHLO_RoundOp
    : StableHLO_UnaryOp<"round_nearest_afz", Hlo_FpOrQuantTensor> {
  let summary = "round to the nearest integer, ties away from zero";
  let description = [{
    The whole number nearest to every element; of two that are equally near
    the one farther from zero.

    Constraints of the specification: C1.
  }];
}
def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", Hlo_FpOrQuantTensor> {
  let summary = "round to the nearest integer, ties to the even one";
  let description = [{
    The whole number nearest to every element; of two that are equally near
    the even one.

    Constraints of the specification: C1.
  }];
}
def StableHLO_RsqrtOp : StableHLO_AccurateUnaryOp<"rsqrt"> {
  let summary = "reciprocal of the square root";
  let description = [{
    One over the square root of every element. `result_accuracy` says how
    exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", Hlo_SignedTensor> {
  let summary = "sign: -1, 0 or 1, for complex elements x / |x|";
  let description = [{
    -1, 0 or 1 by the sign of the element, where zeros keep theirs and NaN
    stays NaN; of a complex element the number of modulus one in its
    direction.

    Constraints of the specification: C1.
  }];
}
def StableHLO_SineOp : StableHLO_AccurateUnaryOp<"sine"> {
  let summary = "sine";
  let description = [{
    The sine of an angle in radians. `result_accuracy` says how exact it has
    to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_SqrtOp : StableHLO_AccurateUnaryOp<"sqrt"> {
  let summary = "square root";
  let description = [{
    The square root; NaN for negative elements, on the principal branch for
    complex ones. `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_TanOp : StableHLO_AccurateUnaryOp<"tan"> {
  let summary = "tangent";
  let description = [{
    The tangent of an angle in radians. `result_accuracy` says how exact it
    has to be.

    Constraints of the specification: C1.
  }];
}
def StableHLO_TanhOp : StableHLO_AccurateUnaryOp<"tanh"> {
  let summary = "hyperbolic tangent";
  let description = [{
    The hyperbolic tangent. `result_accuracy` says how exact it has to be.

    Constraints of the specification: C1.
  }];
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def StableHLO_ConvertOp : StableHLO_Op<"convert", [Pure]> {
  let summary = "conversion of the element type";
  let description = [{
    Every element in another element type: floats to integers toward zero,
    anything to booleans by its difference from zero, real to complex with
    no imaginary part, otherwise to the nearest value of the type.

    Constraints of the specification: C1.
  }];
  let arguments = (ins Hlo_Tensor:$operand);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "the same bits as another element type";
  let description = [{
    The bits of the elements read as another type. Where the new type is
    narrower, the result has one more dimension, over the parts of an
    element, lowest bits first; where it is wider, the last dimension is
    used up.

    Constraints of the specification: C1, C2.
  }];
  let arguments = (ins Hlo_Tensor:$operand);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_ReducePrecisionOp
    : StableHLO_InferredOp<"reduce_precision", [Pure]> {
  let summary = "round to a narrower floating-point format and back";
  let description = [{
    Rounds every element to a float with that many exponent and mantissa
    bits, and keeps it in its own type.

    Constraints of the specification: C1 to C3.
  }];
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
  let description = [{
    Divides floats by the scale of the result's type, adds the zero point,
    rounds and clamps to the storage range; a quantised operand is
    dequantised first.

    Constraints of the specification: C1, C2.
  }];
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
  let description = [{
    `(stored - zero_point) * scale` for every element, with the parameters
    of the operand's type.

    Constraints of the specification: C1, C2.
  }];
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
    The sum of elements at the same index: modulo a power of two for
    integers, logical or for booleans.

    ```mlir
    %result = stablehlo.add %lhs, %rhs : tensor<2x2xi32>
    ```

    Constraints of the specification: C1 to C7.
  }];
}
def StableHLO_AndOp
    : StableHLO_BinaryOp<"and", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                         [Commutative]> {
  let summary = "conjunction, bit by bit";
  let description = [{
    Bitwise and of integers, logical and of booleans.

    Constraints of the specification: C1.
  }];
}
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", Hlo_FloatLikeTensor> {
  let summary = "angle of the point (rhs, lhs)";
  let description = [{
    The angle, between -pi and pi, at which one sees the point with the
    abscissa `rhs` and the ordinate `lhs`.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ComplexOp : StableHLO_InferredOp<"complex", [Pure]> {
  let summary = "complex numbers from real and imaginary parts";
  let description = [{
    Complex elements with the real parts of `lhs` and the imaginary parts of
    `rhs`.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Hlo_FpTensorF32F64:$lhs, Hlo_FpTensorF32F64:$rhs);
  let results = (outs Hlo_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", Hlo_NumericTensor> {
  let summary = "quotient, of integers rounded toward zero";
  let description = [{
    The quotient of elements at the same index. Integers are rounded toward
    zero; dividing them by zero, and the least one by -1, is not defined.

    Constraints of the specification: C1.
  }];
}
def StableHLO_MaxOp
    : StableHLO_BinaryOp<"maximum", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "the larger of both; complex numbers lexicographically";
  let description = [{
    The larger of the elements at the same index, NaN where one is NaN;
    logical or of booleans. Complex elements compare by their real parts,
    then by their imaginary ones.

    Constraints of the specification: C1.
  }];
}
def StableHLO_MinOp
    : StableHLO_BinaryOp<"minimum", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "the smaller of both; complex numbers lexicographically";
  let description = [{
    The smaller of the elements at the same index, NaN where one is NaN;
    logical and of booleans. Complex elements compare by their real parts,
    then by their imaginary ones.

    Constraints of the specification: C1.
  }];
}
def StableHLO_MulOp
    : StableHLO_BinaryOp<"multiply", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "product; logical and of booleans";
  let description = [{
    The product of elements at the same index: modulo a power of two for
    integers, logical and for booleans.

    Constraints of the specification: C1.
  }];
}
def StableHLO_OrOp
    : StableHLO_BinaryOp<"or", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                         [Commutative]> {
  let summary = "disjunction, bit by bit";
  let description = [{
    Bitwise or of integers, logical or of booleans.

    Constraints of the specification: C1.
  }];
}
def StableHLO_PowOp : StableHLO_BinaryOp<"power", Hlo_NumericTensor> {
  let summary = "lhs to the power of rhs";
  let description = [{
    `lhs` to the power of `rhs`. Integers wrap around, and negative
    exponents give the truncated reciprocal.

    Constraints of the specification: C1.
  }];
}
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", Hlo_NumericTensor> {
  let summary = "remainder of the division, with the sign of lhs";
  let description = [{
    What `lhs - rhs * trunc(lhs / rhs)` is exactly: it has the sign of
    `lhs`. By zero it is not defined for integers.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", Hlo_IntTensor> {
  let summary = "shift to the left";
  let description = [{
    The bits of `lhs` moved up by `rhs` places, zeros coming in. Shifting by
    the width or more is not defined.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", Hlo_IntTensor> {
  let summary = "shift to the right, keeping the sign";
  let description = [{
    The bits of `lhs` moved down by `rhs` places, copies of the sign bit
    coming in. Shifting by the width or more is not defined.

    Constraints of the specification: C1.
  }];
}
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", Hlo_IntTensor> {
  let summary = "shift to the right, bringing in zeros";
  let description = [{
    The bits of `lhs` moved down by `rhs` places, zeros coming in. Shifting
    by the width or more is not defined.

    Constraints of the specification: C1.
  }];
}
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract", Hlo_NumericTensor> {
  let summary = "difference";
  let description = [{
    The difference of elements at the same index, modulo a power of two for
    integers.

    Constraints of the specification: C1.
  }];
}
def StableHLO_XorOp
    : StableHLO_BinaryOp<"xor", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                         [Commutative]> {
  let summary = "exclusive or, bit by bit";
  let description = [{
    Bitwise exclusive or of integers, inequality of booleans.

    Constraints of the specification: C1.
  }];
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

def StableHLO_CompareOp : StableHLO_InferredOp<"compare", [Pure]> {
  let summary = "comparison of elements";
  let description = [{
    Compares elements at the same index: signed or unsigned integers, floats
    (where NaN is unequal to everything) or, with `TOTALORDER`, their bits
    in the total order of IEEE 754.

    ```mlir
    %result = stablehlo.compare LT, %lhs, %rhs,  FLOAT
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    ```

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       StableHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<StableHLO_ComparisonTypeAttr>
                           :$compare_type);
  let results = (outs Hlo_PredTensor:$result);
  let assemblyFormat = [{
    custom<EnumWord>($comparison_direction) `,` $lhs `,` $rhs
    (`,` custom<EnumWord>($compare_type)^)?
    attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_SelectOp : StableHLO_InferredOp<"select", [Pure]> {
  let summary = "elements of one tensor or another";
  let description = [{
    Takes an element of `on_true` where `pred` is true, of `on_false`
    elsewhere; one `pred` of rank 0 decides for all elements. By such a
    `pred` it takes one list or shape of the `tarray` dialect or the other.

    Constraints of the specification: C1, C2.
  }];
  let arguments = (ins Hlo_PredTensor:$pred,
                       StableHLO_TensorOrTArray:$on_true,
                       StableHLO_TensorOrTArray:$on_false);
  let results = (outs StableHLO_TensorOrTArray:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectOpType>(type($pred), type($on_true), type($on_false),
                         type($result))
  }];
}
def StableHLO_ClampOp : StableHLO_InferredOp<"clamp", [Pure]> {
  let summary = "elements kept between a minimum and a maximum";
  let description = [{
    `minimum(maximum(operand, min), max)`; `min` and `max` are tensors of
    the operand's shape, or of rank 0 for all elements.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Hlo_Tensor:$min, Hlo_Tensor:$operand, Hlo_Tensor:$max);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max),
                                      type($result))
  }];
}

#endif // MAPWRIGHT_STABLEHLO_ELEMENTWISE
