// RUN: mapwright-opt %s --indexing-refine-shapes=types='tensor<8x3xf32>;tensor<8x3xf32>' | FileCheck %s

// Sizes go through upstream's control flow. What a loop carries has one type: sizes that a round keeps are known in it and behind it.
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %n: index, %flag: i1)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  // Both sizes are kept.
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0) -> (tensor<8x3xf32>)
  // CHECK-NEXT: stablehlo.add %[[A]], %arg1 : tensor<8x3xf32>
  // CHECK-NEXT: scf.yield %{{.*}} : tensor<8x3xf32>
  %kept = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x?xf32> {
    %0 = stablehlo.add %a, %y : tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  }

  // A round doubles the first size, so that it is known nowhere; the second stays.
  // CHECK: %[[IN:.*]] = tensor.cast %arg0 : tensor<8x3xf32> to tensor<?x3xf32>
  // CHECK-NEXT: %[[GROWN:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[IN]]) -> (tensor<?x3xf32>)
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<?x3xf32>
  %grown = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x?xf32> {
    %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  }

  // The branches agree in the second size only.
  // CHECK: scf.if %{{.*}} -> (tensor<?x3xf32>)
  // CHECK: tensor.cast %{{.*}} : tensor<16x3xf32> to tensor<?x3xf32>
  // CHECK: } else {
  // CHECK: tensor.cast %{{.*}} : tensor<8x3xf32> to tensor<?x3xf32>
  %either = scf.if %flag -> tensor<?x?xf32> {
    %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  } else {
    %0 = stablehlo.negate %x : tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  }

  // The condition hands on the transposed tensor.
  // CHECK: scf.while (%[[W:.*]] = %arg0) : (tensor<8x3xf32>) -> tensor<3x8xf32>
  // CHECK: scf.condition(%{{.*}}) %{{.*}} : tensor<3x8xf32>
  // CHECK: ^bb0(%{{.*}}: tensor<3x8xf32>):
  // CHECK: scf.yield %{{.*}} : tensor<8x3xf32>
  %turned = scf.while (%a = %x) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.condition(%flag) %0 : tensor<?x?xf32>
  } do {
  ^bb0(%a: tensor<?x?xf32>):
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  }

  // Through casts and calls in a loop in a branch.
  // CHECK: scf.if %{{.*}} -> (tensor<8x3xf32>)
  // CHECK: scf.for {{.*}} -> (tensor<8x3xf32>)
  // CHECK: call @twice_refined_0(%{{.*}}) : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %called = scf.if %flag -> tensor<?x?xf32> {
    %c = tensor.cast %x : tensor<?x?xf32> to tensor<?x3xf32>
    %d = tensor.cast %c : tensor<?x3xf32> to tensor<?x?xf32>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d) -> tensor<?x?xf32> {
      %0 = func.call @twice(%a) : (tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.yield %0 : tensor<?x?xf32>
    }
    scf.yield %l : tensor<?x?xf32>
  } else {
    scf.yield %y : tensor<?x?xf32>
  }
  // CHECK: return %{{.*}} : tensor<8x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<3x8xf32>, tensor<8x3xf32>
  return %kept, %grown, %either, %turned, %called
    : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
func.func private @twice(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
