// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower="bounds-checks=true" | FileCheck %s
// RUN: mapwright run %s --bounds-checks | FileCheck %s --check-prefix=VALUES

// Every load and store of every emitter is checked: the first and the last lane of a vector, each lane under a mask.

// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[PLACES:.*]], %{{.*}} : vector<[[N:.*]]xi64>
// CHECK: %[[KEPT:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
// CHECK: func.call @mw_out_of_bounds
// CHECK: vector.masked{{load|store}} %{{.*}}[%{{.*}}], %[[KEPT]]

// VALUES: dense<46.0> : tensor<f32>
func.func @main() -> tensor<f32> {
  %i = stablehlo.iota dim = 0 : tensor<23xf32>
  %a = stablehlo.optimization_barrier %i : tensor<23xf32>
  %r = stablehlo.reverse %a, dims = [0] : tensor<23xf32>
  %s = stablehlo.add %a, %r : tensor<23xf32>
  %b = stablehlo.optimization_barrier %s : tensor<23xf32>
  %eleven = stablehlo.constant dense<11.0> : tensor<23xf32>
  %d = stablehlo.divide %b, %eleven : tensor<23xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<23xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
