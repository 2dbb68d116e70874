// RUN: mapwright-opt %s --indexing-legalize-chlo | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// A scan is a loop: every round cuts a slice out of the input, and puts its output in place. Backwards the last slice comes first,
// and its output stays in its place. Running sums of [1, 2, 3], forwards along the rows and backwards along the columns; the scan
// without inputs counts.

// CHECK-LABEL: func.func @main
// CHECK-NOT: chlo
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [1, 2]
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.while
// CHECK: stablehlo.subtract
// CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [2, 1]

// VALUES: {{\[\[}}1, 10], [3, 30], [6, 60]]
// VALUES: [6, 60]
// VALUES: {{\[\[}}6, 5, 3], [60, 50, 30]]
// VALUES: [6, 60]
// VALUES: [0, 1, 2, 3]
// VALUES: 4
func.func @main() -> (tensor<3x2xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<4xi32>, tensor<i32>) {
  %x = stablehlo.constant dense<[[1, 10], [2, 20], [3, 30]]> : tensor<3x2xi32>
  %y = stablehlo.constant dense<[[1, 2, 3], [10, 20, 30]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = chlo.scan(%x) inits (%zero) dimension=0 {
  ^bb0(%slice: tensor<2xi32>, %sum: tensor<2xi32>):
    %s = stablehlo.add %slice, %sum : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  } : (tensor<3x2xi32>, tensor<2xi32>) -> (tensor<3x2xi32>, tensor<2xi32>)
  %1:2 = chlo.scan(%y) inits (%zero) dimension=1 attributes {is_reverse = true} {
  ^bb0(%slice: tensor<2xi32>, %sum: tensor<2xi32>):
    %s = stablehlo.add %slice, %sum : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  %2:2 = "chlo.scan"(%start) ({
  ^bb0(%n: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %n, %next : tensor<i32>, tensor<i32>
  }) {dimension = 0 : i64, scan_dim_size = 4 : i64, operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<3x2xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<4xi32>, tensor<i32>
}
