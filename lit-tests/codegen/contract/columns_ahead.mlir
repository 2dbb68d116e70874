// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-schedule=vector-bits=512 | FileCheck %s

// Rows of what few rows are multiplied with lie pages apart: columns are asked for by groups of panels. Where they compete for the same lines of the
// cache, each panel is copied, and what the cache holds as a whole is asked for by nobody.

// CHECK-LABEL: func.func @apart
// CHECK: register_tile({{.*}}prefetch_columns(
// CHECK-LABEL: func.func @competing
// CHECK-NOT: prefetch_columns
// CHECK: pack_in_tile(n)
// CHECK-LABEL: func.func @near
// CHECK-NOT: prefetch_columns
// CHECK: return
func.func @apart(%x: tensor<32x64xf32>, %y: tensor<64x151936xf32>) -> tensor<32x151936xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x151936xf32>) -> tensor<32x151936xf32>
  return %0 : tensor<32x151936xf32>
}
func.func @competing(%x: tensor<32x512xf32>, %y: tensor<512x4096xf32>) -> tensor<32x4096xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<32x512xf32>, tensor<512x4096xf32>) -> tensor<32x4096xf32>
  return %0 : tensor<32x4096xf32>
}
func.func @near(%x: tensor<32x64xf32>, %y: tensor<64x2064xf32>) -> tensor<32x2064xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x2064xf32>) -> tensor<32x2064xf32>
  return %0 : tensor<32x2064xf32>
}
