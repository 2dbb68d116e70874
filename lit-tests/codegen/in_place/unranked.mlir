// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place)' | FileCheck %s --check-prefix=TENSORS
// Upstream's bufferization takes it that a function without a body writes to what it is given, and cannot copy what has no rank. A value that is read
// afterwards is given as a copy: by the region of the padding, which stands where its last operation stands; because two values are the same one,
// since both branches give it; by the next iteration of a loop.
// TENSORS-LABEL: func.func @main
// TENSORS: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X:.*]]) : tensor<3xf32>
// TENSORS: tensor.cast %[[COPY]] : tensor<3xf32> to tensor<*xf32>
// What nobody reads later is no copy, nor what a function only reads.
// TENSORS-LABEL: func.func @no_copies
// TENSORS-NOT: alloc_tensor
// TENSORS: return
// CHECK: [2,  4,  6]
// CHECK: [2,  4,  6]
// CHECK: [1,  3,  5,  7,  1]
// CHECK: [2,  4,  6]
// CHECK: [2,  4,  6]
// CHECK: [3,  6,  9]
// CHECK: [3,  6,  9]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32> {bufferization.access = "read"})
func.func @main() {
  %a = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %x = stablehlo.add %a, %a : tensor<3xf32>
  %p = stablehlo.pad %x, %zero, low = [1], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  %y = "stablehlo.if"(%t) ({
    stablehlo.return %x : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  %u = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %y : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %q = stablehlo.add %p, %one : tensor<5xf32>
  %w = tensor.cast %q : tensor<5xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  %z = stablehlo.add %a, %x : tensor<3xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %s = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
    func.call @printMemrefF32(%s) : (tensor<*xf32>) -> ()
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %s = tensor.cast %z : tensor<3xf32> to tensor<*xf32>
    func.call @printMemrefF32(%s) : (tensor<*xf32>) -> ()
  }
  return
}
func.func @no_copies(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.add %x, %x : tensor<3xi32>
  %u = tensor.cast %0 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  %1 = stablehlo.multiply %0, %x : tensor<3xi32>
  %f = stablehlo.convert %1 : (tensor<3xi32>) -> tensor<3xf32>
  %v = tensor.cast %f : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return %1 : tensor<3xi32>
}
