// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=256 | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse '--indexing-lower=vector-bits=256 disable=vector-groups' | FileCheck %s --check-prefix=OFF

// A hyperbolic tangent keeps so much at hand that vectors are three registers long, and four if the end of a row would be mostly empty.

// OFF-NOT: vector<24xf32>
// OFF-NOT: vector<32xf32>

// CHECK-LABEL: func.func {{.*}}@region_
// CHECK: vector.load {{.*}} vector<24xf32>
// CHECK: vector.store {{.*}} vector<24xf32>
func.func @long(%x: tensor<16x1024xf32>, %y: tensor<1024xf32>) -> tensor<16x1024xf32> {
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<1024xf32>) -> tensor<16x1024xf32>
  %s = stablehlo.add %x, %b : tensor<16x1024xf32>
  %r = stablehlo.tanh %s : tensor<16x1024xf32>
  return %r : tensor<16x1024xf32>
}

// CHECK-LABEL: func.func {{.*}}@region_
// CHECK-NOT: vector<24xf32>
// CHECK: vector.load {{.*}} vector<32xf32>
func.func @short(%x: tensor<16x128xf32>, %y: tensor<128xf32>) -> tensor<16x128xf32> {
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<128xf32>) -> tensor<16x128xf32>
  %s = stablehlo.add %x, %b : tensor<16x128xf32>
  %r = stablehlo.tanh %s : tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// CHECK-LABEL: func.func {{.*}}@region_
// CHECK-NOT: vector<24xf32>
// CHECK: vector.load {{.*}} vector<32xf32>
func.func @other(%x: tensor<16x1024xf32>, %y: tensor<1024xf32>) -> tensor<16x1024xf32> {
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<1024xf32>) -> tensor<16x1024xf32>
  %s = stablehlo.add %x, %b : tensor<16x1024xf32>
  %t = stablehlo.tanh %s : tensor<16x1024xf32>
  %r = stablehlo.exponential %t : tensor<16x1024xf32>
  return %r : tensor<16x1024xf32>
}
