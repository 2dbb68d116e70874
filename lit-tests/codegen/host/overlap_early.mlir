// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=threads=1 | FileCheck %s

// As a step of training writes it: gradients are added up where parameters are updated, the one first that is computed last. Each sum begins where its
// gradient is there, and updates wait.
// CHECK-LABEL: llvm.func @mw_entry_step
// The product of the second layer, its gradients, and behind its own gradient the sum of it.
// CHECK: @region
// CHECK: llvm.call @mw_collective_start
// CHECK: llvm.call @mw_all_reduce
// CHECK: @region
// CHECK: llvm.call @mw_collective_start
// CHECK: llvm.call @mw_all_reduce
// CHECK-NOT: mw_all_reduce
// CHECK: llvm.call @mw_collective_wait
// CHECK: @region
func.func @step(%x: tensor<64x32xf32>, %v: tensor<32x32xf32>, %w: tensor<32x16xf32>, %y: tensor<64x16xf32>) -> (tensor<32x32xf32>, tensor<32x16xf32>) {
  %h = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %gw = stablehlo.dot_general %h, %y, contracting_dims = [0] x [0] : (tensor<64x32xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  %gh = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<64x16xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
  %gv = stablehlo.dot_general %x, %gh, contracting_dims = [0] x [0] : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  %sv = "stablehlo.all_reduce"(%gv) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %nv = stablehlo.subtract %v, %sv : tensor<32x32xf32>
  %sw = "stablehlo.all_reduce"(%gw) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<32x16xf32>) -> tensor<32x16xf32>
  %nw = stablehlo.subtract %w, %sw : tensor<32x16xf32>
  return %nv, %nw : tensor<32x32xf32>, tensor<32x16xf32>
}

// Behind what else has an effect.
// CHECK-LABEL: llvm.func @mw_entry_with_effects
// CHECK-NOT: mw_all_reduce
// CHECK: llvm.call @mw_outfeed
// CHECK: llvm.call @mw_collective_start
// CHECK: llvm.call @mw_all_reduce
// CHECK: llvm.call @region
// CHECK: llvm.call @mw_collective_wait
func.func @with_effects(%x: tensor<32x32xf32>, %token: !stablehlo.token) -> (tensor<32x32xf32>, tensor<32x32xf32>, !stablehlo.token) {
  %after = "stablehlo.outfeed"(%x, %token) <{outfeed_config = ""}> : (tensor<32x32xf32>, !stablehlo.token) -> !stablehlo.token
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %sum, %y, %after : tensor<32x32xf32>, tensor<32x32xf32>, !stablehlo.token
}

// Also where the effect is inside of a loop, or of a function of the user's.
// CHECK-LABEL: llvm.func @mw_entry_with_effects_inside
// CHECK-NOT: mw_all_reduce
// CHECK: llvm.call @mw_outfeed
// CHECK-NOT: mw_all_reduce
// CHECK: llvm.call @mw_custom_call
// CHECK: llvm.call @mw_collective_start
// CHECK: llvm.call @mw_all_reduce
// CHECK: llvm.call @region
// CHECK: llvm.call @mw_collective_wait
func.func @with_effects_inside(%x: tensor<32x32xf32>, %n: tensor<i32>, %token: !stablehlo.token) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, !stablehlo.token) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %o:2 = stablehlo.while(%i = %zero, %t = %token) : tensor<i32>, !stablehlo.token
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %after = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (tensor<32x32xf32>, !stablehlo.token) -> !stablehlo.token
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %after : tensor<i32>, !stablehlo.token
  }
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %z = stablehlo.custom_call @my_function(%y) {has_side_effect = true} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %v = stablehlo.sine %z : tensor<32x32xf32>
  return %sum, %v, %z, %o#1 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, !stablehlo.token
}
