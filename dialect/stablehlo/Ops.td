//===- Ops.td - all operations of StableHLO -------------------------------===//

#ifndef MAPWRIGHT_STABLEHLO_OPS
#define MAPWRIGHT_STABLEHLO_OPS

include "stablehlo/Collectives.td"
include "stablehlo/Contraction.td"
include "stablehlo/ControlFlow.td"
include "stablehlo/Dynamic.td"
include "stablehlo/Elementwise.td"
include "stablehlo/Random.td"
include "stablehlo/Reduction.td"
include "stablehlo/Structural.td"

#endif // MAPWRIGHT_STABLEHLO_OPS
