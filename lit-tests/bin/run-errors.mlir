// RUN: split-file %s %t
// RUN: not mapwright run %t/infeed.mlir 2>&1 | FileCheck %s --check-prefix=INFEED
// RUN: not mapwright run %t/infeed.mlir --interpret 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not mapwright run %t/recv.mlir 2>&1 | FileCheck %s --check-prefix=INFEED
// RUN: not mapwright run %t/alias.mlir 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not mapwright run %t/gather.mlir --interpret 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not mapwright run %t/scatter.mlir --interpret 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not mapwright run %t/buffer.mlir 2>&1 | FileCheck %s --check-prefix=BUFFER

// Programs that are well-formed and cannot run here: an error at once, and the reason.

// INFEED: nobody serves this infeed or recv
// NOTHING: nothing is left of the infeed
// ALIAS: own
// ALIAS-NOT: internal error
// GATHER: index vectors of 1 elements for 2 dimensions
// BUFFER: Pin
// BUFFER-NOT: internal error

//--- infeed.mlir
func.func @main() -> tensor<3xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return %r#0 : tensor<3xf32>
}

//--- recv.mlir
func.func @main() -> tensor<f32> {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return %r#0 : tensor<f32>
}

//--- alias.mlir
func.func @main(%t: tuple<tensor<1x1xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32> {
  %r = stablehlo.custom_call @own(%t) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<1x1xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

//--- buffer.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %b = stablehlo.custom_call @Pin(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> memref<2xf32>
  %r = stablehlo.custom_call @Unpin(%b) {api_version = 4 : i32} : (memref<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

//--- gather.mlir
func.func @main() -> tensor<4x?xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<3x3x3xf32>
  %i = stablehlo.constant dense<0> : tensor<4x1xi32>
  %y = tensor.cast %x : tensor<3x3x3xf32> to tensor<?x?x?xf32>
  %j = tensor.cast %i : tensor<4x1xi32> to tensor<4x?xi32>
  %r = "stablehlo.gather"(%y, %j) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 3>} : (tensor<?x?x?xf32>, tensor<4x?xi32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

//--- scatter.mlir
func.func @main() -> tensor<?x?xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<3x3xf32>
  %i = stablehlo.constant dense<0> : tensor<4x1xi32>
  %u = stablehlo.constant dense<5.0> : tensor<4xf32>
  %y = tensor.cast %x : tensor<3x3xf32> to tensor<?x?xf32>
  %j = tensor.cast %i : tensor<4x1xi32> to tensor<4x?xi32>
  %r = "stablehlo.scatter"(%y, %j, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<?x?xf32>, tensor<4x?xi32>, tensor<4xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
