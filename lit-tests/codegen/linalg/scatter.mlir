// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize_with_loops,%to_llvm)' | %run_main | FileCheck %s
// A loop over the updates: an update outside of the input is left out, and those of one place follow each other.
// IR-LABEL: func.func private @rows
// IR: scf.for %{{.*}} iter_args(%{{.*}} = %arg0) -> (tensor<4x3xf32>)
// IR: scf.for
// IR: scf.if
// IR: tensor.extract
// IR: arith.addf
// IR: tensor.insert
// Row 1 gets the first and the last update; one row is beyond the end, one before the beginning.
// CHECK: [0, 0, 0],
// CHECK-NEXT: [5, 7, 9],
// CHECK-NEXT: [0, 0, 0],
// CHECK-NEXT: [0, 0, 0]
// CHECK: [0, 30, 0, 10, 0]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @rows(%x: tensor<4x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func private @sized(%x: tensor<?xf32>, %i: tensor<?x1xi64>, %u: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<?xf32>, tensor<?x1xi64>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %i = stablehlo.constant dense<[[1], [4], [-1], [1]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[[1.0, 2.0, 3.0], [9.0, 9.0, 9.0], [9.0, 9.0, 9.0], [4.0, 5.0, 6.0]]> : tensor<4x3xf32>
  %r = call @rows(%x, %i, %u) : (tensor<4x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %p = tensor.cast %r : tensor<4x3xf32> to tensor<*xf32>
  call @printMemrefF32(%p) : (tensor<*xf32>) -> ()
  %y = stablehlo.constant dense<0.0> : tensor<5xf32>
  %j = stablehlo.constant dense<[[3], [1], [7], [1]]> : tensor<4x1xi64>
  %v = stablehlo.constant dense<[10.0, 20.0, 40.0, 30.0]> : tensor<4xf32>
  %dy = tensor.cast %y : tensor<5xf32> to tensor<?xf32>
  %dj = tensor.cast %j : tensor<4x1xi64> to tensor<?x1xi64>
  %dv = tensor.cast %v : tensor<4xf32> to tensor<?xf32>
  %s = call @sized(%dy, %dj, %dv) : (tensor<?xf32>, tensor<?x1xi64>, tensor<?xf32>) -> tensor<?xf32>
  %q = tensor.cast %s : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%q) : (tensor<*xf32>) -> ()
  return
}
