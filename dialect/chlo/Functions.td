//===- Functions.td - element-wise functions of CHLO ----------------------===//

#ifndef MAPWRIGHT_CHLO_FUNCTIONS
#define MAPWRIGHT_CHLO_FUNCTIONS

include "chlo/Attrs.td"
include "mlir/IR/OpAsmInterface.td"

class CHLO_UnaryOp<string mnemonic, TypeConstraint type,
                   TypeConstraint resultType = type>
    : CHLO_InferredOp<mnemonic, [Pure]> {
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class CHLO_BinaryOp<string mnemonic, TypeConstraint type>
    : CHLO_InferredOp<mnemonic, [Pure]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def CHLO_AcosOp : CHLO_UnaryOp<"acos", CHLO_FpOrComplexTensor> {
  let summary = "inverse cosine";
  let description = [{
    The angle whose cosine the element is, between 0 and pi; NaN beyond -1
    and 1 for real elements, on the principal branch for complex ones.
    `stablehlo` has no such operation; `indexing-legalize-chlo` writes it as
    arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh", CHLO_FpOrComplexTensor> {
  let summary = "inverse hyperbolic cosine";
  let description = [{
    The value that is not negative and whose hyperbolic cosine the element
    is; NaN below 1 for real elements, on the principal branch for complex
    ones. `stablehlo` has no such operation; `indexing-legalize-chlo` writes
    it as arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_AsinAcosKernelOp
    : CHLO_UnaryOp<"_asin_acos_kernel", CHLO_ComplexTensor> {
  let summary = "what the inverse sine and cosine of complex numbers share";
  let description = [{
    Of a complex element what inverse sine and inverse cosine have in
    common, as W. Kahan and T. E. Hull et al. compute them.
  }];
}
def CHLO_AsinOp : CHLO_UnaryOp<"asin", CHLO_FpOrComplexTensor> {
  let summary = "inverse sine";
  let description = [{
    The angle whose sine the element is, between -pi/2 and pi/2; NaN beyond
    -1 and 1 for real elements, on the principal branch for complex ones.
    `stablehlo` has no such operation; `indexing-legalize-chlo` writes it as
    arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh", CHLO_FpOrComplexTensor> {
  let summary = "inverse hyperbolic sine";
  let description = [{
    The value whose hyperbolic sine the element is. `stablehlo` has no such
    operation; `indexing-legalize-chlo` writes it as arithmetic, with the
    accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_AtanOp : CHLO_UnaryOp<"atan", CHLO_FpOrComplexTensor> {
  let summary = "inverse tangent";
  let description = [{
    The angle whose tangent the element is, between -pi/2 and pi/2.
    `stablehlo` has no such operation; `indexing-legalize-chlo` writes it as
    arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh", CHLO_FpOrComplexTensor> {
  let summary = "inverse hyperbolic tangent";
  let description = [{
    The value whose hyperbolic tangent the element is; NaN beyond -1 and 1
    for real elements. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e", CHLO_FpTensor> {
  let summary = "modified Bessel function of order 1, exponentially scaled";
  let description = [{
    The modified Bessel function of the first kind and order 1, times
    `exp(-|x|)`. `stablehlo` has no such operation; `indexing-legalize-chlo`
    writes it as arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_ConjOp : CHLO_UnaryOp<"conj", CHLO_FpOrComplexTensor> {
  let summary = "complex conjugate";
  let description = [{
    The complex conjugate; real elements as they are.
  }];
}
def CHLO_CoshOp : CHLO_UnaryOp<"cosh", CHLO_FpOrComplexTensor> {
  let summary = "hyperbolic cosine";
  let description = [{
    The hyperbolic cosine. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma", CHLO_FpTensor> {
  let summary = "derivative of the logarithm of the gamma function";
  let description = [{
    The derivative of the logarithm of the gamma function; NaN at zero and
    the negative integers. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_ErfOp : CHLO_UnaryOp<"erf", CHLO_FpTensor> {
  let summary = "error function";
  let description = [{
    `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to the element.
    `stablehlo` has no such operation; `indexing-legalize-chlo` writes it as
    arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv", CHLO_FpTensor> {
  let summary = "inverse of the error function";
  let description = [{
    The value whose error function the element is; infinite at -1 and 1, NaN
    beyond. `stablehlo` has no such operation; `indexing-legalize-chlo`
    writes it as arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc", CHLO_FpTensor> {
  let summary = "complementary error function";
  let description = [{
    `1 - erf(x)` without the cancellation that computing it in two steps has
    for large elements. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_IsInfOp : CHLO_UnaryOp<"is_inf", CHLO_FpTensor, CHLO_PredTensor> {
  let summary = "whether an element is infinite";
  let description = [{
    True for both infinities.
  }];
}
def CHLO_IsNegInfOp : CHLO_UnaryOp<"is_neg_inf", CHLO_FpTensor, CHLO_PredTensor> {
  let summary = "whether an element is minus infinity";
  let description = [{
    True for minus infinity.
  }];
}
def CHLO_IsPosInfOp : CHLO_UnaryOp<"is_pos_inf", CHLO_FpTensor, CHLO_PredTensor> {
  let summary = "whether an element is plus infinity";
  let description = [{
    True for plus infinity.
  }];
}
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma", CHLO_FpTensor> {
  let summary = "logarithm of the absolute value of the gamma function";
  let description = [{
    The logarithm of the absolute value of the gamma function; infinite at
    zero and the negative integers. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_SinhOp : CHLO_UnaryOp<"sinh", CHLO_FpOrComplexTensor> {
  let summary = "hyperbolic sine";
  let description = [{
    The hyperbolic sine. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_SquareOp : CHLO_UnaryOp<"square", CHLO_NumericTensor> {
  let summary = "product of every element with itself";
  let description = [{
    Every element times itself.
  }];
}
def CHLO_TanOp : CHLO_UnaryOp<"tan", CHLO_FpOrComplexTensor> {
  let summary = "tangent";
  let description = [{
    The tangent of an angle in radians. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}

def CHLO_MulHiOp : CHLO_BinaryOp<"mulhi", CHLO_IntTensor> {
  let summary = "upper half of the bits of a product";
  let description = [{
    The upper half of the bits that the product of two integers has in twice
    their width.
  }];
}
def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after", CHLO_FpTensor> {
  let summary = "next representable number after lhs in the direction of rhs";
  let description = [{
    The number next to `x` in its type in the direction of `y`; `y` itself
    where they are equal, NaN where one is.
  }];
}
def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma", CHLO_FpTensor> {
  let summary = "derivative of order lhs of the digamma function at rhs";
  let description = [{
    The `n`-th derivative of the digamma function at `x`, for whole `n` that
    are not negative; NaN for others. `stablehlo` has no such operation;
    `indexing-legalize-chlo` writes it as arithmetic, with the accuracy of
    docs/chlo-accuracy.md.
  }];
}
def CHLO_ZetaOp : CHLO_BinaryOp<"zeta", CHLO_FpTensor> {
  let summary = "Hurwitz zeta function";
  let description = [{
    Hurwitz' zeta function, the sum of `(q + k)^-x` over all `k >= 0`.
    `stablehlo` has no such operation; `indexing-legalize-chlo` writes it as
    arithmetic, with the accuracy of docs/chlo-accuracy.md.
  }];
}

#endif // MAPWRIGHT_CHLO_FUNCTIONS
