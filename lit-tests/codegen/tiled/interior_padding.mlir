// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Padding between elements is a mask of lanes. Behind the two elements in front are exactly 16 more, one vector: the quotient that says
// which element a lane reads differs from lane to lane although the loop has a single step.

// CHECK: func.func {{.*}}@region_
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xi32>

// VALUES: dense<[77, 77, 10, 77, 77, 11, 77, 77, 12, 77, 77, 13, 77, 77, 14, 77, 77, 15]> : tensor<18xi32>
func.func public @main() -> tensor<18xi32> {
  %ten = stablehlo.constant dense<10> : tensor<6xi32>
  %numbers = stablehlo.iota dim = 0 : tensor<6xi32>
  %x = stablehlo.add %numbers, %ten : tensor<6xi32>
  %filler = stablehlo.constant dense<77> : tensor<i32>
  %0 = stablehlo.pad %x, %filler, low = [2], high = [0], interior = [2] : (tensor<6xi32>, tensor<i32>) -> tensor<18xi32>
  return %0 : tensor<18xi32>
}
