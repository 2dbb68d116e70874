// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg)' | FileCheck %s
// RUN: not mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false})' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg,indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s --check-prefix=RUNS
// What is no function of single elements stays, and other passes go on from there.
// CHECK-LABEL: func.func @main
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.compare
// CHECK: linalg.generic
// ERROR: error: 'stablehlo.sort' op has no form in linalg
// RUNS: {{\[}}2,  4,  6]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %s = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  %r = stablehlo.add %s, %s : tensor<3xf32>
  %u = tensor.cast %r : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
