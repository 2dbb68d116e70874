// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower="vector-bits=512 avx512" | FileCheck %s --check-prefix=WITH
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s --check-prefix=WITHOUT
// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Logarithms of everything that is no ordinary number: zeros, infinities, NaN, negative and subnormal numbers; and the greater of two
// numbers in every lane, NaN if either is, +0 above -0. With AVX-512 there is neither a branch nor a mask of signs.

// WITH: llvm.x86.avx512.mask.getmant.ps.512
// WITH: llvm.x86.avx512.mask.fixupimm.ps.512
// WITH: llvm.x86.avx512.mask.range.ps.512
// WITH-NOT: arith.maximumf
// WITHOUT-NOT: llvm.x86
// WITHOUT: arith.maximumf

// CHECK: dense<[0.0, 0xFF800000, 0xFF800000, 0x7F800000, {{(0x7FC00000|0xFFC00000)}}, {{(0x7FC00000|0xFFC00000)}}, {{(0x7FC00000|0xFFC00000)}}, 0.6931472, -103.27893, -87.33655, 88.72284, -0.6931472, -1.3862944, 0.40546504, 1.3862944, 2.3025851]> : tensor<16xf32>
// CHECK: dense<[1.0, 0.0, 0.0, 0x7F800000, 0x7FC00000, 0x7FC00000, 2.0, 2.0, 1.0e-45, 1.1754944e-38, 3.4028235e38, 0.5, 0.25, 1.5, 0x7F800000, 10.0]> : tensor<16xf32>
func.func public @main() -> (tensor<16xf32>, tensor<16xf32>) {
  %c = stablehlo.constant dense<[1.0, 0.0, -0.0, 0x7F800000, 0x7FC00000, -1.0, 0xFF800000, 2.0, 0x00000001, 0x00800000, 0x7F7FFFFF, 0.5, 0.25, 1.49999994, 4.0, 10.0]> : tensor<16xf32>
  %d = stablehlo.constant dense<[-0.0, -0.0, 0.0, 0x7F7FFFFF, 1.0, 0x7FC00000, 2.0, 1.99, -0.0, -1.0, -3.0, 0.25, 0xFF800000, 1.5, 0x7F800000, -0.0]> : tensor<16xf32>
  %x, %y = stablehlo.optimization_barrier %c, %d : tensor<16xf32>, tensor<16xf32>
  %0 = stablehlo.log %x : tensor<16xf32>
  %1 = stablehlo.maximum %x, %y : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
