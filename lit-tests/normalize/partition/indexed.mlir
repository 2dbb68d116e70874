// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 8 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole

// Rows of a table that devices split are read by the device that has them, and the others add nothing; updates of rows are done by
// the device that has these. What is out of bounds is for the first or the last row where it is read, and is not done where it is
// written.
sdy.mesh @mesh = <["data"=2, "rows"=4]>

func.func @main(
    %table: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"rows"}, {}]>},
    %bytes: tensor<3x64x64xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"rows"}, {}]>},
    %random: tensor<10xi32>, %signless: tensor<6x2xui32>, %sum: tensor<32x5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"rows"}, {}]>},
    %updates: tensor<10x5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<10x6xf32>, tensor<6x3xi8>, tensor<32x5xi64>, tensor<64x6xf32>) {
  // Between -5 and 73, more than there are rows on either side.
  %span = stablehlo.constant dense<79> : tensor<10xi32>
  %five = stablehlo.constant dense<5> : tensor<10xi32>
  %zero = stablehlo.constant dense<0> : tensor<10xi32>
  %absolute = stablehlo.abs %random : tensor<10xi32>
  %positive = stablehlo.maximum %absolute, %zero : tensor<10xi32>
  %rest = stablehlo.remainder %positive, %span : tensor<10xi32>
  %places = stablehlo.subtract %rest, %five : tensor<10xi32>
  // CHECK: "stablehlo.gather"(%{{.*}}) {{.*}}slice_sizes = array<i64: 1, 1, 6>{{.*}} : (tensor<1x16x6xf32>, tensor<5xi32>) -> tensor<1x5x6xf32>
  // CHECK: "stablehlo.all_reduce"
  %0 = "stablehlo.gather"(%table, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<64x6xf32>, tensor<10xi32>) -> tensor<10x6xf32>
  // Two indices, the second of them for the rows that are split; the largest ones have no sign.
  // CHECK: "stablehlo.gather"(%{{.*}}) {{.*}} : (tensor<1x3x16x64xi8>, tensor<6x2xi64>) -> tensor<1x6x3xi8>
  %1 = "stablehlo.gather"(%bytes, %signless) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 2], start_index_map = [2, 1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1, 1>}> : (tensor<3x64x64xi8>, tensor<6x2xui32>) -> tensor<6x3xi8>
  // CHECK: "stablehlo.scatter"(%{{.*}}) <{{.*}}input_batching_dims = [0]
  // CHECK: (tensor<1x8x5xi64>, tensor<1x{{[0-9]+}}xi32>, tensor<1x{{[0-9]+}}x5xi64>) -> tensor<1x8x5xi64>
  %2 = "stablehlo.scatter"(%sum, %places, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %6 = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %6 : tensor<i64>
  }) : (tensor<32x5xi64>, tensor<10xi32>, tensor<10x5xi64>) -> tensor<32x5xi64>
  // In the place of what is there: no two updates are of one row.
  %step = stablehlo.constant dense<7> : tensor<10xi32>
  %iota = stablehlo.iota dim = 0 : tensor<10xi32>
  %sevens = stablehlo.multiply %iota, %step : tensor<10xi32>
  %three = stablehlo.constant dense<3> : tensor<10xi32>
  %shift = stablehlo.remainder %positive, %three : tensor<10xi32>
  %apart = stablehlo.add %sevens, %shift : tensor<10xi32>
  %3 = stablehlo.negate %0 : tensor<10x6xf32>
  // CHECK: "stablehlo.scatter"
  // The other axis, which splits the updates, splits their columns instead.
  // CHECK: (tensor<1x16x3xf32>, tensor<1x10xi32>, tensor<1x10x3xf32>) -> tensor<1x16x3xf32>
  %4 = "stablehlo.scatter"(%table, %apart, %3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<64x6xf32>, tensor<10xi32>, tensor<10x6xf32>) -> tensor<64x6xf32>
  return %0, %1, %2, %4 : tensor<10x6xf32>, tensor<6x3xi8>, tensor<32x5xi64>, tensor<64x6xf32>
}
