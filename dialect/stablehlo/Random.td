//===- Random.td - random numbers -----------------------------------------===//

#ifndef MAPWRIGHT_STABLEHLO_RANDOM
#define MAPWRIGHT_STABLEHLO_RANDOM

include "mlir/IR/OpAsmInterface.td"
include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_RngOp : StableHLO_Op<"rng", [InferTypeOpInterface]> {
  let summary = "random numbers of a distribution";
  let description = [{
    Random elements of a uniform distribution between `a` and `b`, or of a
    normal one with this mean and standard deviation, by a generator of the
    backend's.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins 0DTensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$a,
                       0DTensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$b,
                       Hlo_DimensionTensor:$shape,
                       StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs RankedTensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` custom<EnumWord>($rng_distribution) attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = Hlo_InferDeclaration;
}
def StableHLO_RngBitGeneratorOp
    : StableHLO_Op<"rng_bit_generator", [Pure]> {
  let summary = "random bits of a generator, and its next state";
  let description = [{
    Random bits of the algorithm, from a state, and the state after it: with
    `THREE_FRY` and `PHILOX` the same everywhere.

    Constraints of the specification: C1, C2.
  }];
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm,
                       RankedTensorOf<[Hlo_Int, Hlo_Float]>:$initial_state);
  let results = (outs RankedTensorOf<[Hlo_Int, Hlo_Float]>:$output_state,
                      RankedTensorOf<[Hlo_Int, Hlo_Float]>:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` custom<EnumWord>($rng_algorithm) attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MAPWRIGHT_STABLEHLO_RANDOM
