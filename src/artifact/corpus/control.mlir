module @control attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x3xf32> {jax.buffer_donor = true}, %n: tensor<i32>) -> (tensor<3xf32> {jax.result_info = "sum"}, tensor<4x3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %table = stablehlo.constant dense<[[1.0, -2.5, 3.0], [0.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 1.0, 1.0]]> : tensor<4x3xf32>
    %mask = stablehlo.constant dense<[true, false, true, true, false, false, true, false, true]> : tensor<9xi1>
    %all = stablehlo.constant dense<true> : tensor<9xi1>
    %both = stablehlo.and %mask, %all : tensor<9xi1>
    %small = stablehlo.constant dense<[-8, 7, 3]> : tensor<3xi4>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %loop:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<4x3xf32>
    cond {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %go = stablehlo.compare GT, %i, %c0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %c1 : tensor<i32>
      %z = func.call @step(%y, %table) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<4x3xf32>
    }
    %sorted = "stablehlo.sort"(%loop#1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    return %sum, %sorted : tensor<3xf32>, tensor<4x3xf32>
  }
  func.func private @step(%y: tensor<4x3xf32>, %t: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.multiply %y, %t : tensor<4x3xf32>
    %1 = stablehlo.exponential %0 : tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
}
