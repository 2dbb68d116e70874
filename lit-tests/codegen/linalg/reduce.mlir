// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Also several values at once, and windows: a reducing loop for each dimension of a window.
// IR-LABEL: func.func @f
// IR: linalg.reduce
// IR-SAME: dimensions = [0]
// IR: linalg.reduce ins(%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x4xi32>)
// IR: tensor.pad %{{.*}} low[0, 1] high[0, 1]
// IR: linalg.generic
// IR-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// IR-SAME: ins(%{{.*}}, %{{.*}} : tensor<3x6xf32>, tensor<3xf32>)
// CHECK: [6,  -3,  9,  4]
// CHECK: [6,  18,  14]
// CHECK: [3,   5,   7,   5],
// CHECK-NEXT: [4,   -1,   6,   10],
// CHECK-NEXT: [-4,   8,   -3,   -2]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<3x4xf32>, %i: tensor<3x4xi32>) -> (tensor<4xf32>, tensor<3xf32>, tensor<3x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<-100.0> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %m:2 = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  %n = stablehlo.convert %m#1 : (tensor<3xi32>) -> tensor<3xf32>
  %t = stablehlo.add %m#0, %n : tensor<3xf32>
  %w = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %s, %t, %w : tensor<4xf32>, tensor<3xf32>, tensor<3x4xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 2.0, 3.0], [8.0, -4.0, -5.0, 15.0], [-3.0, -1.0, 12.0, -14.0]]> : tensor<3x4xf32>
  %i = arith.constant dense<[[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]> : tensor<3x4xi32>
  %r:3 = call @f(%x, %i) : (tensor<3x4xf32>, tensor<3x4xi32>) -> (tensor<4xf32>, tensor<3xf32>, tensor<3x4xf32>)
  %u = tensor.cast %r#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %w = tensor.cast %r#2 : tensor<3x4xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  return
}
