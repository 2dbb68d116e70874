// What is reduced in tiles of three, one after another.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %reductions = transform.structured.match attributes {cut = 1 : i32} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %reductions : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %parts, %tile, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 3]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }
    %products = transform.structured.match attributes {cut = 2 : i32} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %products : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %parts, %tile, %merge, %loop = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 0, 0, 3]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
