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

def CHLO_AcosOp : CHLO_UnaryOp<"acos", Hlo_FpOrComplexTensor> {
  let summary = "inverse cosine";
}
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh", Hlo_FpOrComplexTensor> {
  let summary = "inverse hyperbolic cosine";
}
def CHLO_AsinAcosKernelOp
    : CHLO_UnaryOp<"_asin_acos_kernel", Hlo_ComplexTensor> {
  let summary = "what the inverse sine and cosine of complex numbers share";
}
def CHLO_AsinOp : CHLO_UnaryOp<"asin", Hlo_FpOrComplexTensor> {
  let summary = "inverse sine";
}
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh", Hlo_FpOrComplexTensor> {
  let summary = "inverse hyperbolic sine";
}
def CHLO_AtanOp : CHLO_UnaryOp<"atan", Hlo_FpOrComplexTensor> {
  let summary = "inverse tangent";
}
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh", Hlo_FpOrComplexTensor> {
  let summary = "inverse hyperbolic tangent";
}
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e", Hlo_FpTensor> {
  let summary = "modified Bessel function of order 1, exponentially scaled";
}
def CHLO_ConjOp : CHLO_UnaryOp<"conj", Hlo_FpOrComplexTensor> {
  let summary = "complex conjugate";
}
def CHLO_CoshOp : CHLO_UnaryOp<"cosh", Hlo_FpOrComplexTensor> {
  let summary = "hyperbolic cosine";
}
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma", Hlo_FpTensor> {
  let summary = "derivative of the logarithm of the gamma function";
}
def CHLO_ErfOp : CHLO_UnaryOp<"erf", Hlo_FpTensor> {
  let summary = "error function";
}
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv", Hlo_FpTensor> {
  let summary = "inverse of the error function";
}
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc", Hlo_FpTensor> {
  let summary = "complementary error function";
}
def CHLO_IsInfOp : CHLO_UnaryOp<"is_inf", Hlo_FpTensor, Hlo_PredTensor> {
  let summary = "whether an element is infinite";
}
def CHLO_IsNegInfOp : CHLO_UnaryOp<"is_neg_inf", Hlo_FpTensor, Hlo_PredTensor> {
  let summary = "whether an element is minus infinity";
}
def CHLO_IsPosInfOp : CHLO_UnaryOp<"is_pos_inf", Hlo_FpTensor, Hlo_PredTensor> {
  let summary = "whether an element is plus infinity";
}
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma", Hlo_FpTensor> {
  let summary = "logarithm of the absolute value of the gamma function";
}
def CHLO_SinhOp : CHLO_UnaryOp<"sinh", Hlo_FpOrComplexTensor> {
  let summary = "hyperbolic sine";
}
def CHLO_SquareOp : CHLO_UnaryOp<"square", Hlo_NumericTensor> {
  let summary = "product of every element with itself";
}
def CHLO_TanOp : CHLO_UnaryOp<"tan", Hlo_FpOrComplexTensor> {
  let summary = "tangent";
}

def CHLO_MulHiOp : CHLO_BinaryOp<"mulhi", Hlo_IntTensor> {
  let summary = "upper half of the bits of a product";
}
def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after", Hlo_FpTensor> {
  let summary = "next representable number after lhs in the direction of rhs";
}
def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma", Hlo_FpTensor> {
  let summary = "derivative of order lhs of the digamma function at rhs";
}
def CHLO_ZetaOp : CHLO_BinaryOp<"zeta", Hlo_FpTensor> {
  let summary = "Hurwitz zeta function";
}

#endif // MAPWRIGHT_CHLO_FUNCTIONS
