// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s

// Bodies of reductions and scatters that other frameworks write with arith and tensor, in functions that hold other dialects as well.

// IR-LABEL: func.func @sums
// IR: indexing.call_kernel
// IR-LABEL: func.func @scattered
// IR: indexing.call_kernel
// IR-LABEL: func.func @around
// IR: scf.for
// IR: indexing.call_kernel
// IR: arith.addf

// CHECK: [6,  22]
// CHECK: [1,  8,  3]
// CHECK: [18,  66]
func.func private @printMemrefF32(tensor<*xf32>)

func.func @sums(%m: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2xf32> {
  %r = stablehlo.reduce(%m init: %z) across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    reducer(%p: tensor<f32>, %q: tensor<f32>) {
      %s = arith.addf %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
  return %r : tensor<2xf32>
}

func.func @scattered(%x: tensor<3xf32>, %i: tensor<1xi32>, %u: tensor<f32>) -> tensor<3xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %a = tensor.extract %p[] : tensor<f32>
    %b = tensor.extract %q[] : tensor<f32>
    %c = arith.mulf %a, %b : f32
    %d = tensor.from_elements %c : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>} : (tensor<3xf32>, tensor<1xi32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// What stands around stays: the sums, three times.
func.func @around(%m: tensor<2x4xf32>, %z: tensor<f32>, %none: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %none) -> tensor<2xf32> {
    %r = stablehlo.reduce(%m init: %z) across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
      reducer(%p: tensor<f32>, %q: tensor<f32>) {
        %s = arith.addf %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }
    %b = linalg.map { arith.addf } ins(%a, %r : tensor<2xf32>, tensor<2xf32>) outs(%none : tensor<2xf32>)
    scf.yield %b : tensor<2xf32>
  }
  return %all : tensor<2xf32>
}

func.func @main() {
  %m = stablehlo.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<2x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<2xf32>
  %x = stablehlo.constant dense<[1.0, 4.0, 3.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = func.call @sums(%m, %z) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = func.call @scattered(%x, %i, %two) : (tensor<3xf32>, tensor<1xi32>, tensor<f32>) -> tensor<3xf32>
  %2 = func.call @around(%m, %z, %none) : (tensor<2x4xf32>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %u0 = tensor.cast %0 : tensor<2xf32> to tensor<*xf32>
  %u1 = tensor.cast %1 : tensor<3xf32> to tensor<*xf32>
  %u2 = tensor.cast %2 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
