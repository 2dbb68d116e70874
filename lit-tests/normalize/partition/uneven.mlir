// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole

// Ten rows and three columns on four devices: three rows and a column each, of which some are padding.
sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @main
func.func @main(%random: tensor<10x3xi8>, %other: tensor<3x5xi8>, %even: tensor<10x8xi8>)
    -> (tensor<10x5xf32>, tensor<10xi32>, tensor<5xf32>, tensor<f32>, tensor<3x5xf32>, tensor<10x3xf32>) {
  // Whole numbers: their sums have no rounding.
  %numbers = stablehlo.convert %random : (tensor<10x3xi8>) -> tensor<10x3xf32>
  %weights = stablehlo.convert %other : (tensor<3x5xi8>) -> tensor<3x5xf32>
  %rows = sdy.sharding_constraint %numbers <@mesh, [{"x"}, {}]> : tensor<10x3xf32>
  // Rows of a product are those of its first factor, and numbers that count up are made longer.
  // CHECK: stablehlo.dot_general {{.*}} : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = stablehlo.dot_general %rows, %weights, contracting_dims = [1] x [0] : (tensor<10x3xf32>, tensor<3x5xf32>) -> tensor<10x5xf32>
  %count = stablehlo.iota dim = 0 : tensor<10x5xf32>
  %half = stablehlo.constant dense<0.5> : tensor<10x5xf32>
  %1 = stablehlo.multiply %count, %half : tensor<10x5xf32>
  // CHECK: stablehlo.add {{.*}} : tensor<3x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<10x5xf32>
  // Sums over rows leave the padding out.
  // CHECK: stablehlo.select {{.*}} : tensor<3x5xi1>, tensor<3x5xf32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<10x5xf32>, tensor<f32>) -> tensor<5xf32>
  %negated = stablehlo.negate %2 : tensor<10x5xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%negated init: %least) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<10x5xf32>, tensor<f32>) -> tensor<f32>
  // Rows that are contracted are those of both factors: of both the padding is zeros.
  // CHECK: stablehlo.dot_general {{.*}}, contracting_dims = [0] x [0] : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %5 = stablehlo.dot_general %rows, %2, contracting_dims = [0] x [0] : (tensor<10x3xf32>, tensor<10x5xf32>) -> tensor<3x5xf32>
  // Fewer columns than devices. Backwards is nothing that padded tensors are: the rows are put together.
  %columns = sdy.sharding_constraint %numbers <@mesh, [{}, {"x"}]> : tensor<10x3xf32>
  // CHECK: stablehlo.abs {{.*}} : tensor<10x1xf32>
  %6 = stablehlo.abs %columns : tensor<10x3xf32>
  %7 = stablehlo.reverse %6, dims = [1] : tensor<10x3xf32>
  // The dimension that devices divide is divided as before.
  %8 = sdy.sharding_constraint %even <@mesh, [{}, {"x"}]> : tensor<10x8xi8>
  %wide = stablehlo.convert %8 : (tensor<10x8xi8>) -> tensor<10x8xi32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<10x2xi32>, tensor<i32>) -> tensor<10xi32>
  // CHECK-COUNT-3: "stablehlo.all_reduce"
  %9 = stablehlo.reduce(%wide init: %none) applies stablehlo.add across dimensions = [1] : (tensor<10x8xi32>, tensor<i32>) -> tensor<10xi32>
  return %2, %9, %3, %4, %5, %7 : tensor<10x5xf32>, tensor<10xi32>, tensor<5xf32>, tensor<f32>, tensor<3x5xf32>, tensor<10x3xf32>
}

// Operands that say sizes say those of the whole: what has such is not divided, evenly or not.
// CHECK-LABEL: @sized
// CHECK: stablehlo.dynamic_broadcast_in_dim {{.*}} : (tensor<8xi8>, tensor<2xi64>) -> tensor<2x8xi8>
// CHECK: stablehlo.dynamic_broadcast_in_dim {{.*}} : (tensor<9xi8>, tensor<2xi64>) -> tensor<2x9xi8>
func.func @sized(%even: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %uneven: tensor<9xi8>, %sizes: tensor<2xi64>, %others: tensor<2xi64>) -> (tensor<2x8xi8>, tensor<2x9xi8>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %even, %sizes, dims = [1] : (tensor<8xi8>, tensor<2xi64>) -> tensor<2x8xi8>
  %1 = sdy.sharding_constraint %uneven <@mesh, [{"x"}]> : tensor<9xi8>
  %2 = stablehlo.dynamic_broadcast_in_dim %1, %others, dims = [1] : (tensor<9xi8>, tensor<2xi64>) -> tensor<2x9xi8>
  return %0, %2 : tensor<2x8xi8>, tensor<2x9xi8>
}

// Quantized elements are left alone.
// CHECK-LABEL: @quantized
// CHECK: stablehlo.uniform_quantize {{.*}} : (tensor<9xf32>) -> tensor<9x!quant.uniform<i8:f32, 2.000000e+00:2>>
func.func @quantized(%a: tensor<9xf32>) -> tensor<9xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<9xf32>) -> tensor<9x!quant.uniform<i8:f32, 2.000000e+00:2>>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<9x!quant.uniform<i8:f32, 2.000000e+00:2>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<9x!quant.uniform<i8:f32, 2.000000e+00:2>>) -> tensor<9xf32>
  return %2 : tensor<9xf32>
}
