//===- Broadcasting.td - operations with implicit broadcasting ------------===//

#ifndef MAPWRIGHT_CHLO_BROADCASTING
#define MAPWRIGHT_CHLO_BROADCASTING

include "chlo/Attrs.td"
include "mlir/IR/OpAsmInterface.td"

// Both operands are broadcast to a common shape, as NumPy does, or as
// `broadcast_dimensions` says: the dimensions of the operand of higher rank
// that those of the other one correspond to.
class CHLO_BroadcastOp<string mnemonic, TypeConstraint type = CHLO_Tensor,
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
    : CHLO_BroadcastOp<"broadcast_add", CHLO_Tensor, CHLO_Tensor, [Commutative]> {
  let summary = "sum";
  let description = [{
    What `stablehlo.add` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastAndOp
    : CHLO_BroadcastOp<"broadcast_and", CHLO_PredOrIntTensor,
                       CHLO_PredOrIntTensor, [Commutative]> {
  let summary = "conjunction";
  let description = [{
    What `stablehlo.and` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastAtan2Op : CHLO_BroadcastOp<"broadcast_atan2"> {
  let summary = "angle of the point (rhs, lhs)";
  let description = [{
    What `stablehlo.atan2` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastComplexOp
    : CHLO_BroadcastOp<"broadcast_complex", CHLO_FpTensor, CHLO_ComplexTensor> {
  let summary = "complex numbers from real and imaginary parts";
  let description = [{
    What `stablehlo.complex` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastDivOp : CHLO_BroadcastOp<"broadcast_divide"> {
  let summary = "quotient";
  let description = [{
    What `stablehlo.divide` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastMaxOp
    : CHLO_BroadcastOp<"broadcast_maximum", CHLO_Tensor, CHLO_Tensor,
                       [Commutative]> {
  let summary = "the larger of both";
  let description = [{
    What `stablehlo.maximum` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastMinOp
    : CHLO_BroadcastOp<"broadcast_minimum", CHLO_Tensor, CHLO_Tensor,
                       [Commutative]> {
  let summary = "the smaller of both";
  let description = [{
    What `stablehlo.minimum` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastMulOp
    : CHLO_BroadcastOp<"broadcast_multiply", CHLO_Tensor, CHLO_Tensor,
                       [Commutative]> {
  let summary = "product";
  let description = [{
    What `stablehlo.multiply` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastNextAfterOp
    : CHLO_BroadcastOp<"broadcast_next_after", CHLO_FpTensor> {
  let summary = "next representable number";
  let description = [{
    What `chlo.next_after` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastOrOp
    : CHLO_BroadcastOp<"broadcast_or", CHLO_PredOrIntTensor, CHLO_PredOrIntTensor,
                       [Commutative]> {
  let summary = "disjunction";
  let description = [{
    What `stablehlo.or` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastPolygammaOp
    : CHLO_BroadcastOp<"broadcast_polygamma", CHLO_FpTensor> {
  let summary = "polygamma function";
  let description = [{
    What `chlo.polygamma` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastPowOp : CHLO_BroadcastOp<"broadcast_power"> {
  let summary = "lhs to the power of rhs";
  let description = [{
    What `stablehlo.power` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastRemOp : CHLO_BroadcastOp<"broadcast_remainder"> {
  let summary = "remainder of the division";
  let description = [{
    What `stablehlo.remainder` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastShiftLeftOp
    : CHLO_BroadcastOp<"broadcast_shift_left", CHLO_IntTensor> {
  let summary = "shift to the left";
  let description = [{
    What `stablehlo.shift_left` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastOp<"broadcast_shift_right_arithmetic", CHLO_IntTensor> {
  let summary = "shift to the right, keeping the sign";
  let description = [{
    What `stablehlo.shift_right_arithmetic` computes. The operands may have
    different shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastOp<"broadcast_shift_right_logical", CHLO_IntTensor> {
  let summary = "shift to the right, bringing in zeros";
  let description = [{
    What `stablehlo.shift_right_logical` computes. The operands may have
    different shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastSubOp : CHLO_BroadcastOp<"broadcast_subtract"> {
  let summary = "difference";
  let description = [{
    What `stablehlo.subtract` computes. The operands may have different
    shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
}
def CHLO_BroadcastXorOp
    : CHLO_BroadcastOp<"broadcast_xor", CHLO_PredOrIntTensor,
                       CHLO_PredOrIntTensor, [Commutative]> {
  let summary = "exclusive or";
  let description = [{
    What `stablehlo.xor` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastZetaOp : CHLO_BroadcastOp<"broadcast_zeta", CHLO_FpTensor> {
  let summary = "Hurwitz zeta function";
  let description = [{
    What `chlo.zeta` computes. The operands may have different shapes:
    dimensions are aligned as NumPy does it, or by `broadcast_dimensions`,
    and repeated where their size is one.
  }];
}
def CHLO_BroadcastCompareOp : CHLO_InferredOp<"broadcast_compare", [Pure]> {
  let summary = "comparison";
  let description = [{
    Compares elements as `stablehlo.compare` does. The operands may have
    different shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
  let arguments = (ins CHLO_Tensor:$lhs, CHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs CHLO_PredTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}
def CHLO_BroadcastSelectOp : CHLO_InferredOp<"broadcast_select", [Pure]> {
  let summary = "elements of one tensor or another";
  let description = [{
    Takes elements as `stablehlo.select` does. The operands may have
    different shapes: dimensions are aligned as NumPy does it, or by
    `broadcast_dimensions`, and repeated where their size is one.
  }];
  let arguments = (ins Hlo_PredTensor:$pred, Hlo_Tensor:$on_true,
                       Hlo_Tensor:$on_false);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MAPWRIGHT_CHLO_BROADCASTING
