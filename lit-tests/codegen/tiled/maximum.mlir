// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=256 | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s --check-prefix=WIDE
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// The maximum of rows in vector lanes. A NaN anywhere in the row is the result, and +0 is greater than -0, whatever lane they are in.

// CHECK: func.func {{.*}}@region_0
// CHECK: arith.maxsi {{.*}} : vector<8xi32>
// CHECK-NEXT: arith.minui {{.*}} : vector<8xi32>
// CHECK-NEXT: arith.maxui {{.*}} : vector<8xi32>
// CHECK-NOT: arith.maximumf {{.*}} : vector
// WIDE: arith.maximumf {{.*}} : vector<16xf32>

// VALUES: dense<[18.0, 0x7FC00000, 0.0]> : tensor<3xf32>
func.func public @main() -> tensor<3xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<3x19xf32>
  %row = stablehlo.iota dim = 0 : tensor<3x19xi32>
  %column = stablehlo.iota dim = 1 : tensor<3x19xi32>
  %one = stablehlo.constant dense<1> : tensor<3x19xi32>
  %two = stablehlo.constant dense<2> : tensor<3x19xi32>
  %seven = stablehlo.constant dense<7> : tensor<3x19xi32>
  %number = stablehlo.convert %column : (tensor<3x19xi32>) -> tensor<3x19xf32>
  %in_row_one = stablehlo.compare EQ, %row, %one : (tensor<3x19xi32>, tensor<3x19xi32>) -> tensor<3x19xi1>
  %in_row_two = stablehlo.compare EQ, %row, %two : (tensor<3x19xi32>, tensor<3x19xi32>) -> tensor<3x19xi1>
  %at_seven = stablehlo.compare EQ, %column, %seven : (tensor<3x19xi32>, tensor<3x19xi32>) -> tensor<3x19xi1>
  %there = stablehlo.and %in_row_one, %at_seven : tensor<3x19xi1>
  // Row 2 is -0 but for one +0.
  %minus = stablehlo.constant dense<-0.0> : tensor<3x19xf32>
  %plus = stablehlo.constant dense<0.0> : tensor<3x19xf32>
  %zeros = stablehlo.select %at_seven, %plus, %minus : tensor<3x19xi1>, tensor<3x19xf32>
  %a = stablehlo.select %there, %nan, %number : tensor<3x19xi1>, tensor<3x19xf32>
  %b = stablehlo.select %in_row_two, %zeros, %a : tensor<3x19xi1>, tensor<3x19xf32>
  %m = stablehlo.reduce(%b init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x19xf32>, tensor<f32>) -> tensor<3xf32>
  return %m : tensor<3xf32>
}
