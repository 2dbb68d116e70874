// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// One generic an operation; a constant whose elements are all the same is no operand.
// IR-LABEL: func.func @f
// IR: linalg.generic
// IR-SAME: ins(%{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>) outs(%{{.*}} : tensor<2x3xf32>)
// IR: arith.mulf
// IR: linalg.generic
// IR-SAME: ins(%{{.*}} : tensor<2x3xf32>) outs(
// IR: arith.addf %{{.*}}, %cst
// IR: linalg.generic
// IR-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>)
// IR: arith.select
// CHECK: [0.5,   0,   7.5]
// CHECK: [5,   -7.5,   3.5]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %p: tensor<i1>) -> tensor<2x3xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<2x3xf32>
  %c = stablehlo.constant dense<-0.5> : tensor<2x3xf32>
  %1 = stablehlo.add %0, %c : tensor<2x3xf32>
  %2 = stablehlo.select %p, %1, %y : tensor<i1>, tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 0.5, 2.0], [-1.0, 7.0, 2.0]]> : tensor<2x3xf32>
  %y = arith.constant dense<[[1.0, 1.0, 4.0], [-5.5, -1.0, 2.0]]> : tensor<2x3xf32>
  %p = arith.constant dense<true> : tensor<i1>
  %r = call @f(%x, %y, %p) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i1>) -> tensor<2x3xf32>
  %u = tensor.cast %r : tensor<2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
