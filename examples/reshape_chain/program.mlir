module @jit_chain_jax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x64xf32>, %arg1: tensor<2680xf32>) -> (tensor<8x21x67xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<256x64xf32>) -> tensor<32x8x64xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<32x8x64xf32>) -> tensor<8x32x64xf32>
    %2 = stablehlo.iota dim = 0 : tensor<14xi32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<14xi32>
    %4 = stablehlo.multiply %3, %2 : tensor<14xi32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<14xi32>
    %6 = stablehlo.add %5, %4 : tensor<14xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<14xi32>) -> tensor<14x1xi32>
    %8 = "stablehlo.gather"(%1, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 8, 1, 64>}> : (tensor<8x32x64xf32>, tensor<14x1xi32>) -> tensor<8x14x64xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %9 = call @_pad(%8, %c_1) : (tensor<8x14x64xf32>, tensor<i32>) -> tensor<8x16x67xf32>
    %10 = stablehlo.reshape %arg1 : (tensor<2680xf32>) -> tensor<8x5x67xf32>
    %11 = stablehlo.concatenate %9, %10, dim = 1 : (tensor<8x16x67xf32>, tensor<8x5x67xf32>) -> tensor<8x21x67xf32>
    return %11 : tensor<8x21x67xf32>
  }
  func.func private @_pad(%arg0: tensor<8x14x64xf32>, %arg1: tensor<i32>) -> tensor<8x16x67xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 1, 0], high = [0, 1, 3], interior = [0, 0, 0] : (tensor<8x14x64xf32>, tensor<f32>) -> tensor<8x16x67xf32>
    return %1 : tensor<8x16x67xf32>
  }
}
