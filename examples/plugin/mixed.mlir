// A softmax of each of `%n` rows, in a loop of upstream's: the operations of StableHLO become kernels, the loop stays.
func.func @main(%x: tensor<16x256xf32>, %n: index) -> tensor<16x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%all = %x) -> tensor<16x256xf32> {
    %row = tensor.extract_slice %all[%i, 0] [1, 256] [1, 1] : tensor<16x256xf32> to tensor<256xf32>
    %max = stablehlo.reduce(%row init: %lowest) applies stablehlo.maximum across dimensions = [0]
        : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    %maxima = stablehlo.broadcast_in_dim %max, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %less = stablehlo.subtract %row, %maxima : tensor<256xf32>
    %e = stablehlo.exponential %less : tensor<256xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %probabilities = stablehlo.divide %e, %sums : tensor<256xf32>
    %next = tensor.insert_slice %probabilities into %all[%i, 0] [1, 256] [1, 1] : tensor<256xf32> into tensor<16x256xf32>
    scf.yield %next : tensor<16x256xf32>
  }
  return %result : tensor<16x256xf32>
}
