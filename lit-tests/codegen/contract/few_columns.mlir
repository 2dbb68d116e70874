// RUN: mapwright compile %s -o %t.s --target x86_64-unknown-linux-gnu --target-cpu x86-64-v4
// RUN: FileCheck %s --check-prefix=CODE < %t.s
// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Rows of four columns are vectors of four lanes, without masks; what is packed is in registers, too, in a loop that does little else.

// CODE-NOT: {%k
// CODE: vfmadd{{.*}}%xmm
// CODE-NOT: {%k
// CODE-NOT: mw_alloc
// CODE: .Lfunc_end

// CHECK: dense<{{\[}}[4.0, 2.0, 2.0, 4.0], [0.0, 4.0, 4.0, 0.0], [4.0, 0.0, 0.0, 0.0], [0.0, 2.0, 2.0, 0.0]]> : tensor<4x4xf32>
func.func @main() -> tensor<4x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %a = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %b = stablehlo.constant dense<[[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %f, %g = stablehlo.optimization_barrier %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
  %l:2 = stablehlo.while(%i = %zero, %x = %g) : tensor<i32>, tensor<4x4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = stablehlo.dot_general %x, %f, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = stablehlo.add %p, %g : tensor<4x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<4x4xf32>
  }
  return %l#1 : tensor<4x4xf32>
}
