// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --mlir-print-local-scope | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower | FileCheck %s --check-prefix=KERNEL
// A roll by a number of elements along a dimension of run-time size is one region, although no tensor has the sizes of its pieces. Its kernel is given
// them, behind the sizes of its tensors and before the tiles: of the first piece, where that begins, and of the second.

// CHECK: indexing.fusion({{.*}}) attributes {{{.*}}kind = "streaming"
// CHECK: stablehlo.real_dynamic_slice {{.*}} {indexing.sizes = affine_map<()[s0, s1] -> (256, s1)>, indexing.slice = affine_map<()[s0, s1, s2] -> (0, s2)>, indexing.slice_steps = array<i64: 1, 1>}
// CHECK: stablehlo.real_dynamic_slice {{.*}} {indexing.sizes = affine_map<()[s0, s1, s2, s3] -> (256, s3)>, indexing.slice = affine_map<() -> (0, 0)>, indexing.slice_steps = array<i64: 1, 1>}
// CHECK-NEXT: stablehlo.concatenate
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: indexing.yield
// KERNEL: llvm.call @region_4({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64, i64, i64) -> ()
func.func @main(%x: tensor<256x?xf32>, %s: tensor<1xi32>) -> tensor<256x?xf32> {
  %rows = stablehlo.constant dense<256> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %origin = stablehlo.constant dense<0> : tensor<2xi32>
  %steps = stablehlo.constant dense<1> : tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<256x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %begin = stablehlo.concatenate %zero, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %middle = stablehlo.concatenate %rows, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %end = stablehlo.concatenate %rows, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %last = stablehlo.real_dynamic_slice %x, %begin, %end, %steps : (tensor<256x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<256x?xf32>
  %first = stablehlo.real_dynamic_slice %x, %origin, %middle, %steps : (tensor<256x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<256x?xf32>
  %r = stablehlo.concatenate %last, %first, dim = 1 : (tensor<256x?xf32>, tensor<256x?xf32>) -> tensor<256x?xf32>
  %t = stablehlo.add %r, %x : tensor<256x?xf32>
  return %t : tensor<256x?xf32>
}
