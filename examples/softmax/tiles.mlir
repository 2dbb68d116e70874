// Softmax in tiles of four batches: the division is tiled, and all that it reads is computed in the same loop, for a tile at a time.
//
//   mlir-opt --load-dialect-plugin=libmapwright.so --load-pass-plugin=libmapwright.so program.mlir \
//     --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=tiles.mlir},transform-interpreter,canonicalize,cse)'
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %divide = transform.structured.match ops{["stablehlo.divide"]} in %root : (!transform.any_op) -> !transform.any_op
    %reductions = transform.structured.match ops{["stablehlo.reduce"]} in %root : (!transform.any_op) -> !transform.any_op
    %largest, %sum = transform.split_handle %reductions : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %all = transform.structured.match ops{["stablehlo.broadcast_in_dim"]} in %root : (!transform.any_op) -> !transform.any_op
    %b0, %b1, %b2, %b3, %b4 = transform.split_handle %all : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    // Not the one in the body of the reduction.
    %maximum = transform.structured.match ops{["stablehlo.maximum"]} filter_result_type = tensor<64x128xf32> in %root
      : (!transform.any_op) -> !transform.any_op
    %powers = transform.structured.match ops{["stablehlo.exponential", "stablehlo.subtract"]} in %root
      : (!transform.any_op) -> !transform.any_op

    %tile, %loop = transform.structured.tile_using_forall %divide tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %below = transform.merge_handles %b4, %b3, %sum : !transform.any_op
    %f0, %with_sums = transform.structured.fuse_into_containing_op %below into %loop
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    // The sum and the division read one tile of the exponentials.
    transform.apply_cse to %function : !transform.any_op
    %above = transform.merge_handles %powers, %b2, %b1, %maximum, %b0, %largest : !transform.any_op
    %f1, %whole = transform.structured.fuse_into_containing_op %above into %with_sums
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
