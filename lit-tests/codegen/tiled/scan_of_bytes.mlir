// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Prefixes of bytes go element by element: LLVM does not come to an end with a chain of shuffles of them.

// CHECK-LABEL: @region_0
// CHECK-NOT: vector.shuffle

// 127, 127 & 126, & 124, …: each element clears bits that stay clear.
// VALUES: dense<[127, 126, 124, 120, 112, 96, 64]> : tensor<7xi8>
func.func public @main() -> tensor<7xi8> {
  %a = stablehlo.constant dense<[127, 126]> : tensor<2xi8>
  %b = stablehlo.constant dense<[124, 121, 115, 103, 79]> : tensor<5xi8>
  %x = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xi8>, tensor<5xi8>) -> tensor<7xi8>
  %ones = stablehlo.constant dense<-1> : tensor<i8>
  %r = "stablehlo.reduce_window"(%x, %ones) <{window_dimensions = array<i64: 7>, padding = dense<[[6, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i8>, %q: tensor<i8>):
    %s = stablehlo.and %p, %q : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<7xi8>, tensor<i8>) -> tensor<7xi8>
  return %r : tensor<7xi8>
}
