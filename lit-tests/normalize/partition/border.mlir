// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s

// A result whose layout the program leaves open is along whole axes: rows along y become two dimensions, each along a half of it, of which the border has no
// word. Columns stay along x.
sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK: func.func @main(%{{.*}}: tensor<4x12xf32> {{.*}}) -> (tensor<2x8x12xf32> {indexing.slice = {{{.*}}tensor_map = {{\[\[}}], [], ["x"]]}})
// CHECK: "stablehlo.all_gather"
func.func @main(%x: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<2x8x24xf32> {
  %0 = stablehlo.reshape %x : (tensor<16x24xf32>) -> tensor<2x8x24xf32>
  return %0 : tensor<2x8x24xf32>
}
