module @structure {
  func.func public @main(%image: tensor<1x8x8x2xf32>, %kernel: tensor<3x3x2x4xf32>, %a: tensor<2x4x5xbf16>, %b: tensor<2x5x6xbf16>, %table: tensor<7x3xf64>, %rows: tensor<2x1xi64>, %z: tensor<4xcomplex<f32>>) -> (tensor<1x4x4x4xf32>, tensor<2x4x6xf32>, tensor<2x3xf64>, tensor<7x3xf64>, tensor<4xcomplex<f32>>, tensor<5x6xf64>) {
    %conv = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
    %dot = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH] : (tensor<2x4x5xbf16>, tensor<2x5x6xbf16>) -> tensor<2x4x6xf32>
    %gathered = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<7x3xf64>, tensor<2x1xi64>) -> tensor<2x3xf64>
    %scattered = "stablehlo.scatter"(%table, %rows, %gathered) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %s = stablehlo.add %x, %y : tensor<f64>
      stablehlo.return %s : tensor<f64>
    }) : (tensor<7x3xf64>, tensor<2x1xi64>, tensor<2x3xf64>) -> tensor<7x3xf64>
    %transformed = stablehlo.fft %z, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %called = stablehlo.custom_call @solve(%table) {backend_config = "options", has_side_effect = true, api_version = 2 : i32, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<7x3xf64>) -> tensor<7x3xf64>
    %pad = stablehlo.constant dense<0.0> : tensor<f64>
    %padded = stablehlo.pad %called, %pad, low = [0, 1], high = [-2, 2], interior = [0, 0] : (tensor<7x3xf64>, tensor<f64>) -> tensor<5x6xf64>
    return %conv, %dot, %gathered, %scattered, %transformed, %padded : tensor<1x4x4x4xf32>, tensor<2x4x6xf32>, tensor<2x3xf64>, tensor<7x3xf64>, tensor<4xcomplex<f32>>, tensor<5x6xf64>
  }
}
