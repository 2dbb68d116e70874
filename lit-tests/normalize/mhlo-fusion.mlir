// RUN: split-file %s %t
// RUN: mapwright run %t/values.mlir
// RUN: mapwright run %t/values.mlir --interpret
// RUN: not mapwright run %t/more.mlir 2>&1 | FileCheck %t/more.mlir
// RUN: not mapwright run %t/none.mlir 2>&1 | FileCheck %t/none.mlir
// RUN: not mapwright run %t/results.mlir 2>&1 | FileCheck %t/results.mlir

// A fusion computes its body, which takes all operands, some, or none and uses the values around it.

//--- values.mlir
func.func @main() {
  %a = mhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = mhlo.constant dense<10.0> : tensor<2x3xf32>
  // The rows backwards, then rows and columns exchanged.
  %none = "mhlo.fusion"(%a) ({
    %1 = "mhlo.reverse"(%a) {dimensions = dense<[0]> : tensor<1xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = "mhlo.transpose"(%1) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    "mhlo.return"(%2) : (tensor<3x2xf32>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %none, dense<[[4.0, 1.0], [5.0, 2.0], [6.0, 3.0]]> : tensor<3x2xf32>
  %some:2 = "mhlo.fusion"(%a, %b) ({
  ^bb0(%x: tensor<2x3xf32>):
    %1 = mhlo.add %x, %b : tensor<2x3xf32>
    %2 = "mhlo.fusion"(%x) ({
    ^bb0(%y: tensor<2x3xf32>):
      %3 = mhlo.multiply %y, %b : tensor<2x3xf32>
      "mhlo.return"(%3) : (tensor<2x3xf32>) -> ()
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "mhlo.return"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  check.expect_eq_const %some#0, dense<[[11.0, 12.0, 13.0], [14.0, 15.0, 16.0]]> : tensor<2x3xf32>
  check.expect_eq_const %some#1, dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf32>
  %all = "mhlo.fusion"(%a, %b) ({
  ^bb0(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>):
    %1 = mhlo.subtract %y, %x : tensor<2x3xf32>
    "mhlo.return"(%1) : (tensor<2x3xf32>) -> ()
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %all, dense<[[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]]> : tensor<2x3xf32>
  return
}

//--- more.mlir
// CHECK: error: 'mhlo.fusion' op the body must take operands
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "mhlo.fusion"(%a) ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    "mhlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- none.mlir
// CHECK: none.mlir:3:8: error: 'mhlo.fusion' op
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "mhlo.fusion"(%a) ({
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- results.mlir
// CHECK: error: 'mhlo.fusion' op the results must be of the types (tensor<3xf32>), are (tensor<2xf32>)
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "mhlo.fusion"(%a) ({
    "mhlo.return"(%b) : (tensor<3xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
