// Each operation in tiles of four along the first dimension of its result.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["stablehlo.add", "stablehlo.reduce", "stablehlo.transpose", "stablehlo.broadcast_in_dim",
      "stablehlo.dot_general", "stablehlo.slice", "stablehlo.pad", "stablehlo.reverse", "stablehlo.concatenate"]} in %root
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %ops : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %tile, %loop = transform.structured.tile_using_forall %op tile_sizes [4]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
