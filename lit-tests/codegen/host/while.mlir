// RUN: mapwright-opt %s --indexing-normalize=disable=rounds --indexing-fuse --indexing-lower | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// A loop is a branch back to the condition.

// CHECK: llvm.func @mw_entry_main
// CHECK: llvm.intr.memcpy
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]]
// CHECK-NEXT: ^[[HEAD]]:
// CHECK: llvm.cond_br {{.*}}, ^[[BODY:bb[0-9]+]], ^
// CHECK-NEXT: ^[[BODY]]:
// CHECK: llvm.br ^[[HEAD]]

// VALUES: dense<10> : tensor<i32>
// VALUES: dense<45> : tensor<i32>
func.func public @main() -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.add %s, %i : tensor<i32>
      stablehlo.return %n, %t : tensor<i32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<i32>, tensor<i32>
}
