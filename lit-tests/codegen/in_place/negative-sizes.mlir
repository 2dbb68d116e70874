// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s

// A size that a program computes may be negative, which is an error before there is memory; sums and products of sizes of tensors are not.
// CHECK-LABEL: func.func @numbers
// CHECK: %[[N:.*]] = arith.index_cast
// CHECK: %[[HOLDS:.*]] = arith.cmpi sle, %{{.*}}, %[[N]] : index
// CHECK: cf.assert %[[HOLDS]], "{{.*}} has a result of a negative size"
// CHECK: tensor.empty(%[[N]])
func.func @numbers(%n: tensor<1xi32>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func.func @behind
// CHECK-NOT: negative size
// CHECK: return
func.func @behind(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
