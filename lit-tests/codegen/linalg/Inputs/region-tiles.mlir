// Each region in tiles of four along the first dimension of its results.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %regions = transform.structured.match ops{["indexing.fusion"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %regions : !transform.any_op {
    ^bb0(%region: !transform.any_op):
      %tile, %loop = transform.structured.tile_using_forall %region tile_sizes [4]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
