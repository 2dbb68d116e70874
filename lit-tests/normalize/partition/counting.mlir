// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 6 | FileCheck %s --check-prefix=GIVES

// Each device counts its own part of an iota, in any element type: a bf16 has eight bits, 513 and 514 are 512 in it, and 515 is 516.
sdy.mesh @mesh = <["x"=3, "y"=2]>

// CHECK-NOT: tensor<2x516
// CHECK-NOT: stablehlo.all
func.func @main(%scalar: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<2x516xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<6xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<516xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: stablehlo.iota dim = 1 : tensor<1x172xi32>
  // GIVES: dense<{{\[\[}}0.0, 1.0, 2.0, {{.*}}, 512.0, 512.0, 516.0], [0.0
  %0 = stablehlo.iota dim = 1 : tensor<2x516xbf16>
  %1 = stablehlo.negate %0 : tensor<2x516xbf16>
  %2 = stablehlo.abs %1 : tensor<2x516xbf16>
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<172xf32>
  // CHECK: stablehlo.iota dim = 0 : tensor<1xi32>
  // CHECK-NOT: 516
  // GIVES: dense<[(0.0,0.0), (1.0,0.0), (2.0,0.0), (3.0,0.0), (4.0,0.0), (5.0,0.0)]> : tensor<6xcomplex<f32>>
  %3 = stablehlo.iota dim = 0 : tensor<6xcomplex<f32>>
  // And a device repeats a scalar as often as it has elements, although every device has the scalar as a whole.
  %4 = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<f32>) -> tensor<516xf32>
  %5 = stablehlo.negate %4 : tensor<516xf32>
  return %2, %3, %5 : tensor<2x516xbf16>, tensor<6xcomplex<f32>>, tensor<516xf32>
}
