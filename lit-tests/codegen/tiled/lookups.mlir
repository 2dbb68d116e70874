// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower="vector-bits=256 avx2" | FileCheck %s --check-prefix=WITH
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower="vector-bits=256 avx2 disable=lookups" | FileCheck %s --check-prefix=WITHOUT
// RUN: mapwright run %s | FileCheck %s

// The exponential function with a table of eight numbers in a register. A result does not depend on where an argument is, nor on how many there
// are: what a vector of one is equals what stands in the middle of others. Beyond the range of numbers it is zero, subnormal or infinite.

// WITH: llvm.x86.avx2.permd
// WITHOUT-NOT: llvm.x86

// CHECK: dense<[1.0, 1.0, 2.7182817, 0.36787945, 0.0, 0x7F800000, 0x7FC00000, 1.0e-45, 0.0, 1.1754{{.*}}e-38, 3.4026{{.*}}e38, 0x7F800000, [[HALF:1.648721(2|3)]]]> : tensor<13xf32>
// CHECK: dense<{{\[}}[[HALF]]]> : tensor<1xf32>
func.func public @main() -> (tensor<13xf32>, tensor<1xf32>) {
  %c = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0xFF800000, 0x7F800000, 0x7FC00000, -103.5, -104.5, -87.336548, 88.722801, 88.7229, 0.5]> : tensor<13xf32>
  %d = stablehlo.constant dense<0.5> : tensor<1xf32>
  %x, %y = stablehlo.optimization_barrier %c, %d : tensor<13xf32>, tensor<1xf32>
  %0 = stablehlo.exponential %x : tensor<13xf32>
  %1 = stablehlo.exponential %y : tensor<1xf32>
  return %0, %1 : tensor<13xf32>, tensor<1xf32>
}
