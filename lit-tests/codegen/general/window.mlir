// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=disable=tiled | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// A window with padding, a stride and a dilation: element i is the sum of x[2i - 1] and x[2i + 1], where they exist.

// CHECK: func.func {{.*}}@region_
// CHECK: scf.for
// CHECK: arith.addi
// CHECK: memref.store

// VALUES: dense<[1, 4, 8, 5]> : tensor<4xi32>
func.func public @main() -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.iota dim = 0 : tensor<7xi32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[1, 1]]> : tensor<1x2xi64>, window_dilations = array<i64: 2>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<7xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
