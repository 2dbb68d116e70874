// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize_with_loops,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize_with_loops,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=IR
// Loops that carry a tensor which is longer or shorter in each round, or as long: one that is of another size is in another buffer.
// CHECK: sizes = [12]
// CHECK-NEXT: [1,  2,  3,  1,  2,  3,  1,  2,  3,  1,  2,  3]
// CHECK: sizes = [1]
// CHECK-NEXT: [4]
// CHECK: sizes = [3]
// CHECK-NEXT: [9,  8,  7]

// IR-LABEL: func.func private @longer
// IR-NOT: materialize_in_destination
// IR-LABEL: func.func private @shorter
// IR-NOT: materialize_in_destination
// IR-LABEL: func.func @main
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @longer(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %b = stablehlo.concatenate %a, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func private @shorter(%x: tensor<?xf32>) -> tensor<?xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %o = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  %r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %o : tensor<i32>
    %d = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %e = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.real_dynamic_slice %a, %s, %e, %s : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %j, %b : tensor<i32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
func.func private @as_long(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %v = tensor.from_elements %d : tensor<1xindex>
    %s = stablehlo.dynamic_broadcast_in_dim %one, %v, dims = [] : (tensor<f32>, tensor<1xindex>) -> tensor<?xf32>
    %t = stablehlo.reverse %a, dims = [0] : tensor<?xf32>
    %u = stablehlo.add %t, %s : tensor<?xf32>
    %w = stablehlo.add %u, %s : tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @main() {
  %s = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %x = tensor.cast %s : tensor<3xf32> to tensor<?xf32>
  %0 = call @longer(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %u0 = tensor.cast %0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %1 = call @shorter(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %u1 = tensor.cast %1 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  %2 = call @as_long(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %u2 = tensor.cast %2 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
