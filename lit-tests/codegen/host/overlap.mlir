// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=threads=1 | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower="threads=1 disable=overlap" | FileCheck %s --check-prefix=OFF
// RUN: mapwright run %s --entry values
// RUN: mapwright run %s --entry values --interpret

// OFF-NOT: mw_collective_start

// What reads a sum at once waits for it as before.
// CHECK-LABEL: llvm.func @mw_entry_at_once
// CHECK-NOT: mw_collective
// CHECK: llvm.call @mw_all_reduce
// CHECK-NOT: mw_collective
func.func @at_once(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Two halves of a product, each of which is added up: the first sum is under way while the second product is computed, and the second one, behind
// it, is waited for at once. Whether the function failed or not, nobody uses its memory when it returns.
// CHECK-LABEL: llvm.func @mw_entry_halves
// CHECK: llvm.call @mw_collective_wait
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.call @mw_free
// CHECK-NEXT: llvm.call @mw_error_status
// CHECK: llvm.call @[[PRODUCT:region_[0-9]+]]
// CHECK: llvm.call @mw_collective_start
// CHECK: llvm.call @mw_all_reduce
// CHECK: llvm.call @[[PRODUCT]]
// CHECK-NOT: mw_collective
// CHECK: llvm.call @mw_all_reduce
// CHECK: llvm.call @mw_collective_wait
// CHECK: llvm.call @region
func.func @halves(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> (tensor<64x16xf32>, tensor<64x32xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %2 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  %3 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %4 = stablehlo.sine %x : tensor<64x32xf32>
  %5 = stablehlo.subtract %1, %3 : tensor<64x16xf32>
  return %5, %4 : tensor<64x16xf32>, tensor<64x32xf32>
}

// In a loop each iteration waits for its own, before the next state is handed on.
// CHECK-LABEL: llvm.func @mw_entry_in_a_loop
// CHECK: llvm.call @mw_error_status
// CHECK: llvm.call @mw_collective_start
// CHECK: llvm.call @mw_all_reduce
// CHECK: llvm.call @region
// CHECK: llvm.call @mw_collective_wait
// CHECK: llvm.br
func.func @in_a_loop(%x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %o:3 = stablehlo.while(%i = %zero, %v = %x, %u = %x) : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %a = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %a : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %t = stablehlo.sine %u : tensor<8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s, %t : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  }
  return %o#1, %o#2 : tensor<8xf32>, tensor<8xf32>
}

// Rows of a tensor stay where they are, also where something is computed while they are sent.
// CHECK-LABEL: llvm.func @mw_entry_of_rows
// CHECK-NOT: call @region
// CHECK: llvm.call @mw_collective_start
// CHECK-NOT: call @region
// CHECK: llvm.call @mw_all_reduce
// CHECK: llvm.call @region
// CHECK: llvm.call @mw_collective_wait
func.func @of_rows(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> (tensor<32x32xf32>, tensor<64x16xf32>) {
  %rows = stablehlo.slice %x [32:64, 0:32] : (tensor<64x32xf32>) -> tensor<32x32xf32>
  %sum = "stablehlo.all_reduce"(%rows) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  return %sum, %y : tensor<32x32xf32>, tensor<64x16xf32>
}

// Two devices. The sums are 16 + 32 and 32 + 32; the state is 1 + 2 after an iteration, and twice as much after each further one.
func.func @values() {
  %x = stablehlo.constant dense<1.0> : tensor<64x32xf32>
  %y = stablehlo.constant dense<2.0> : tensor<64x32xf32>
  %w = stablehlo.constant dense<0.5> : tensor<32x16xf32>
  %r:4 = "interpreter.run_parallel"(%x, %y, %w, %y, %y, %w) {programs = [[@halves], [@halves]]} : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<32x16xf32>) -> (tensor<64x16xf32>, tensor<64x32xf32>, tensor<64x16xf32>, tensor<64x32xf32>)
  check.expect_eq_const %r#0, dense<-16.0> : tensor<64x16xf32>
  check.expect_eq_const %r#2, dense<-16.0> : tensor<64x16xf32>
  %sine = stablehlo.sine %y : tensor<64x32xf32>
  check.expect_eq %r#3, %sine : tensor<64x32xf32>

  %v = stablehlo.constant dense<1.0> : tensor<8xf32>
  %z = stablehlo.constant dense<2.0> : tensor<8xf32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %l:4 = "interpreter.run_parallel"(%v, %n, %z, %n) {programs = [[@in_a_loop], [@in_a_loop]]} : (tensor<8xf32>, tensor<i32>, tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  check.expect_eq_const %l#0, dense<12.0> : tensor<8xf32>
  check.expect_eq_const %l#2, dense<12.0> : tensor<8xf32>
  return
}
