// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A loop of StableHLO in one of scf: both carry their values in one buffer each.
// CHECK: [-9,  -10,  -12]
// CHECK: [9,  10,  12]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[1.0,2.0,3.0]> : tensor<3xf32>
  %y = arith.constant dense<[5.0,6.0,8.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %i0 = stablehlo.constant dense<0.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<3xf32>, tensor<3xf32>) {
    %v:2 = stablehlo.while(%j = %i, %d = %b) : tensor<i32>, tensor<3xf32>
    cond {
      %c = stablehlo.compare LE, %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j1 = stablehlo.add %j, %one : tensor<i32>
      %d1 = stablehlo.reverse %d, dims = [0] : tensor<3xf32>
      %d2 = stablehlo.add %d1, %a : tensor<3xf32>
      stablehlo.return %j1, %d2 : tensor<i32>, tensor<3xf32>
    }
    %w = stablehlo.negate %v#1 : tensor<3xf32>
    scf.yield %w, %v#1 : tensor<3xf32>, tensor<3xf32>
  }
  %p = stablehlo.add %r#0, %i0 : tensor<3xf32>
  %q = stablehlo.add %r#1, %i0 : tensor<3xf32>
  %up = tensor.cast %p : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%up) : (tensor<*xf32>) -> ()
  %uq = tensor.cast %q : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%uq) : (tensor<*xf32>) -> ()
  return
}
