// RUN: mapwright compile %s -o %t.s --target x86_64-unknown-linux-gnu --target-cpu x86-64-v3
// RUN: FileCheck %s < %t.s
// RUN: mapwright compile %s -o %t.arm.s --target aarch64-unknown-linux-gnu
// RUN: FileCheck %s --check-prefix=OTHER < %t.arm.s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Vectors that do not fit in the registers lie on the stack, where none crosses a cache line (or a page, which costs some thirty cycles): the
// function aligns its stack, and the slots are written with instructions that ask for it. The convention of calls has 16 bytes only.

// CHECK-LABEL: {{^}}region_0:
// CHECK: andq $-64, %rsp
// CHECK-NOT: vmovups %ymm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: vmovaps %ymm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK-NOT: vmovups %ymm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: retq

// Vectors of 128 bits need no more than the convention gives.
// OTHER-LABEL: {{^}}region_0:
// OTHER-NOT: and sp,
// OTHER: ret

// VALUES: dense<[-1.09774{{.*}}, 3.89997{{.*}}, 9.87855{{.*}}, 24.3252{{.*}}]> : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4096xf32>
  %tenth = stablehlo.constant dense<0.1> : tensor<4096xf32>
  %y = stablehlo.add %i, %tenth : tensor<4096xf32>
  %x = stablehlo.abs %y : tensor<4096xf32>
  %0 = stablehlo.exponential %x : tensor<4096xf32>
  %1 = stablehlo.log %x : tensor<4096xf32>
  %2 = stablehlo.tanh %x : tensor<4096xf32>
  %3 = stablehlo.add %0, %1 : tensor<4096xf32>
  %4 = stablehlo.add %3, %2 : tensor<4096xf32>
  %5 = stablehlo.optimization_barrier %4 : tensor<4096xf32>
  %s = stablehlo.slice %5 [0:4] : (tensor<4096xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
