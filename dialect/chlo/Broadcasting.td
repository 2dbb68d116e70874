//===- Broadcasting.td - operations with implicit broadcasting ------------===//

#ifndef MAPWRIGHT_CHLO_BROADCASTING
#define MAPWRIGHT_CHLO_BROADCASTING

include "chlo/Attrs.td"
include "mlir/IR/OpAsmInterface.td"

// Both operands are broadcast to a common shape, as NumPy does, or as
// `broadcast_dimensions` says: the dimensions of the operand of higher rank
// that those of the other one correspond to.
class CHLO_BroadcastOp<string mnemonic, TypeConstraint type = Hlo_Tensor,
                       TypeConstraint resultType = type,
                       list<Trait> traits = []>
    : CHLO_InferredOp<mnemonic, [Pure] # traits> {
  let arguments = (ins type:$lhs, type:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def CHLO_BroadcastAddOp
    : CHLO_BroadcastOp<"broadcast_add", Hlo_Tensor, Hlo_Tensor, [Commutative]> {
  let summary = "sum";
}
def CHLO_BroadcastAndOp
    : CHLO_BroadcastOp<"broadcast_and", Hlo_PredOrIntTensor,
                       Hlo_PredOrIntTensor, [Commutative]> {
  let summary = "conjunction";
}
def CHLO_BroadcastAtan2Op : CHLO_BroadcastOp<"broadcast_atan2"> {
  let summary = "angle of the point (rhs, lhs)";
}
def CHLO_BroadcastComplexOp
    : CHLO_BroadcastOp<"broadcast_complex", Hlo_FpTensor, Hlo_ComplexTensor> {
  let summary = "complex numbers from real and imaginary parts";
}
def CHLO_BroadcastDivOp : CHLO_BroadcastOp<"broadcast_divide"> {
  let summary = "quotient";
}
def CHLO_BroadcastMaxOp
    : CHLO_BroadcastOp<"broadcast_maximum", Hlo_Tensor, Hlo_Tensor,
                       [Commutative]> {
  let summary = "the larger of both";
}
def CHLO_BroadcastMinOp
    : CHLO_BroadcastOp<"broadcast_minimum", Hlo_Tensor, Hlo_Tensor,
                       [Commutative]> {
  let summary = "the smaller of both";
}
def CHLO_BroadcastMulOp
    : CHLO_BroadcastOp<"broadcast_multiply", Hlo_Tensor, Hlo_Tensor,
                       [Commutative]> {
  let summary = "product";
}
def CHLO_BroadcastNextAfterOp
    : CHLO_BroadcastOp<"broadcast_next_after", Hlo_FpTensor> {
  let summary = "next representable number";
}
def CHLO_BroadcastOrOp
    : CHLO_BroadcastOp<"broadcast_or", Hlo_PredOrIntTensor, Hlo_PredOrIntTensor,
                       [Commutative]> {
  let summary = "disjunction";
}
def CHLO_BroadcastPolygammaOp
    : CHLO_BroadcastOp<"broadcast_polygamma", Hlo_FpTensor> {
  let summary = "polygamma function";
}
def CHLO_BroadcastPowOp : CHLO_BroadcastOp<"broadcast_power"> {
  let summary = "lhs to the power of rhs";
}
def CHLO_BroadcastRemOp : CHLO_BroadcastOp<"broadcast_remainder"> {
  let summary = "remainder of the division";
}
def CHLO_BroadcastShiftLeftOp
    : CHLO_BroadcastOp<"broadcast_shift_left", Hlo_IntTensor> {
  let summary = "shift to the left";
}
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastOp<"broadcast_shift_right_arithmetic", Hlo_IntTensor> {
  let summary = "shift to the right, keeping the sign";
}
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastOp<"broadcast_shift_right_logical", Hlo_IntTensor> {
  let summary = "shift to the right, bringing in zeros";
}
def CHLO_BroadcastSubOp : CHLO_BroadcastOp<"broadcast_subtract"> {
  let summary = "difference";
}
def CHLO_BroadcastXorOp
    : CHLO_BroadcastOp<"broadcast_xor", Hlo_PredOrIntTensor,
                       Hlo_PredOrIntTensor, [Commutative]> {
  let summary = "exclusive or";
}
def CHLO_BroadcastZetaOp : CHLO_BroadcastOp<"broadcast_zeta", Hlo_FpTensor> {
  let summary = "Hurwitz zeta function";
}
def CHLO_BroadcastCompareOp : CHLO_InferredOp<"broadcast_compare", [Pure]> {
  let summary = "comparison";
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs Hlo_PredTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}
def CHLO_BroadcastSelectOp : CHLO_InferredOp<"broadcast_select", [Pure]> {
  let summary = "elements of one tensor or another";
  let arguments = (ins Hlo_PredTensor:$pred, Hlo_Tensor:$on_true,
                       Hlo_Tensor:$on_false);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MAPWRIGHT_CHLO_BROADCASTING
