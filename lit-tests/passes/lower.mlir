// RUN: mapwright-opt %s --indexing-to-loops | FileCheck %s
// RUN: mapwright-opt %s --indexing-to-loops --indexing-loops-to-llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not=memref. --implicit-check-not=scf. --implicit-check-not=vector.
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-to-loops)' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not mapwright-opt %s --indexing-lower=vector-bits=7 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// A kernel for the region, an entry point that launches it.
// CHECK: module @host
// CHECK: llvm.func @mw_entry_main
// CHECK: module @vectors_0
// CHECK: func.func {{.*}}@region_0
// CHECK: scf.for
// CHECK: arith.addf

// LLVM: llvm.func @mw_entry_main
// Four elements are a vector of four lanes, without a mask.
// LLVM: llvm.func @region_0
// LLVM-NOT: llvm.intr.masked.store
// LLVM: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr

// PIPELINE: indexing-normalize
// PIPELINE: indexing-fuse
// PIPELINE: indexing-lower{avx2=false avx512=false bounds-checks=false disable={{.*}} threads=1 vector-bits=512 verify-each-rewrite=false}

// OPTION: error: pass indexing-lower: option vector-bits must be 128, 256 or 512

// VALUES: dense<[1.0, 3.0, 5.0, 7.0]> : tensor<4xf32>
func.func public @main() -> tensor<4xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %2 = stablehlo.add %0, %0 : tensor<4xf32>
  %3 = stablehlo.add %2, %1 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
