// RUN: mapwright-opt %s --indexing-legalize-to-linalg | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s

// Sizes that one side of an operation knows and the other leaves open: a cast beside the operation. And slices of nothing, which begin
// where their operands end.

// IR-LABEL: func.func @transposed
// IR: linalg.transpose
// IR-LABEL: func.func @copies
// IR: linalg.broadcast
// IR-LABEL: func.func @maxima
// IR: linalg.reduce
// IR-LABEL: func.func @of_two
// IR: linalg.reduce
// IR-LABEL: func.func @windows
// IR: linalg.generic
// IR: tensor.cast {{.*}} to tensor<?xf32>
// IR-LABEL: func.func @rest
// IR-NOT: tensor.extract_slice

// CHECK: [0,   3]
// CHECK-NEXT: [1,   4]
// CHECK-NEXT: [2,   5]
// CHECK: [7,   8,   9]
// CHECK-NEXT: [7,   8,   9]
// CHECK: [3,  4,  5]
// CHECK: [16,  20,  24]
// CHECK: [7,  8,  9]
// CHECK: [7,  8,  9]
// CHECK: [15,  17]
func.func private @printMemrefF32(tensor<*xf32>)

func.func @transposed(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %t : tensor<?x?xf32>
}

func.func @copies(%v: tensor<3xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_broadcast_in_dim %v, %s, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @maxima(%m: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<?xf32> {
  %r = stablehlo.reduce(%m init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Each input knows another size.
func.func @of_two(%m: tensor<?x3xf32>, %n: tensor<2x?xf32>, %z: tensor<f32>) -> tensor<?xf32> {
  %r:2 = stablehlo.reduce(%m init: %z), (%n init: %z) across dimensions = [0] : (tensor<?x3xf32>, tensor<2x?xf32>, tensor<f32>, tensor<f32>) -> (tensor<?xf32>, tensor<3xf32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<f32>, %t: tensor<f32>) {
      %a = stablehlo.add %p, %q : tensor<f32>
      %b = stablehlo.add %s, %t : tensor<f32>
      stablehlo.return %a, %b : tensor<f32>, tensor<f32>
    }
  %both = stablehlo.add %r#0, %r#1 : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  return %both : tensor<?xf32>
}

func.func @windows(%x: tensor<3xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @rest(%v: tensor<1xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  %e = stablehlo.slice %v [1:1] : (tensor<1xf32>) -> tensor<?xf32>
  %r = stablehlo.concatenate %e, %w, dim = 0 : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @behind(%v: tensor<1xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  %e = stablehlo.slice %v [1:1] : (tensor<1xf32>) -> tensor<?xf32>
  %r = stablehlo.concatenate %w, %e, dim = 0 : (tensor<3xf32>, tensor<?xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @main() {
  %x = stablehlo.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %v = stablehlo.constant dense<[7.0, 8.0, 9.0]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<5.0> : tensor<f32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = func.call @transposed(%x) : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %1 = func.call @copies(%v, %s) : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = func.call @maxima(%x, %z) : (tensor<2x3xf32>, tensor<f32>) -> tensor<?xf32>
  %m = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
  %n = tensor.cast %x : tensor<2x3xf32> to tensor<2x?xf32>
  // Twice [0 + 3, 1 + 4, 2 + 5], and the two initial values.
  %3 = func.call @of_two(%m, %n, %start) : (tensor<?x3xf32>, tensor<2x?xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = func.call @rest(%one, %v) : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = func.call @behind(%one, %v) : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
  %6 = call @windows(%4) : (tensor<3xf32>) -> tensor<?xf32>
  %u6 = tensor.cast %6 : tensor<?xf32> to tensor<*xf32>
  %u0 = tensor.cast %0 : tensor<?x?xf32> to tensor<*xf32>
  %u1 = tensor.cast %1 : tensor<?x?xf32> to tensor<*xf32>
  %u2 = tensor.cast %2 : tensor<?xf32> to tensor<*xf32>
  %u3 = tensor.cast %3 : tensor<?xf32> to tensor<*xf32>
  %u4 = tensor.cast %4 : tensor<3xf32> to tensor<*xf32>
  %u5 = tensor.cast %5 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u3) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u4) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u5) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u6) : (tensor<*xf32>) -> ()
  return
}
