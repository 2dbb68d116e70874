// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright run %s --seed 1 --output-dir %t.native
// RUN: mapwright run %s --seed 1 --interpret --output-dir %t.interpreted
// RUN: cmp %t.native/out0.npy %t.interpreted/out0.npy

// A large result goes past the caches, for which its vectors start at multiples of their length. The piece behind the first two elements
// does not: the lanes in front of the first whole vector are done under a mask, and still every lane knows where it reads.

// CHECK: func.func {{.*}}@region_
// CHECK: vector.maskedstore
// CHECK: vector.maskedstore
// CHECK: vector.maskedstore
// CHECK-NOT: vector.gather
// CHECK: vector.store {{.*}}nontemporal
func.func public @main(%a: tensor<512x512xf64>, %b: tensor<512x1024xf64>) -> tensor<512x1024xf64> {
  %x = stablehlo.slice %a [0:512, 0:511] : (tensor<512x512xf64>) -> tensor<512x511xf64>
  %y = stablehlo.slice %b [0:512, 2:1024:2] : (tensor<512x1024xf64>) -> tensor<512x511xf64>
  %s = stablehlo.add %x, %y : tensor<512x511xf64>
  %first = stablehlo.slice %b [0:512, 0:1] : (tensor<512x1024xf64>) -> tensor<512x1xf64>
  %even = stablehlo.concatenate %first, %s, dim = 1 : (tensor<512x1xf64>, tensor<512x511xf64>) -> tensor<512x512xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.pad %even, %zero, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<512x512xf64>, tensor<f64>) -> tensor<512x1024xf64>
  %q = stablehlo.pad %a, %zero, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<512x512xf64>, tensor<f64>) -> tensor<512x1024xf64>
  %r = stablehlo.add %p, %q : tensor<512x1024xf64>
  return %r : tensor<512x1024xf64>
}
