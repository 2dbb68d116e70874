// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize_with_loops,%to_llvm)' | %run_main | FileCheck %s
// Loops and branches become scf, with linalg inside; StableHLO in bodies of scf is rewritten there.
// IR-LABEL: func.func @f
// IR: scf.while
// IR: linalg.generic
// IR: scf.if
// IR: scf.for
// IR: linalg.generic
// CHECK: [34,  66]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %n = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %m = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.add %a, %a : tensor<2xf32>
    stablehlo.return %j, %b : tensor<i32>, tensor<2xf32>
  }
  %p = stablehlo.constant dense<true> : tensor<i1>
  %q = stablehlo.not %p : tensor<i1>
  %s = "stablehlo.if"(%q) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %r#1 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %t = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %s) -> tensor<2xf32> {
    %b = stablehlo.add %a, %one : tensor<2xf32>
    scf.yield %b : tensor<2xf32>
  }
  return %t : tensor<2xf32>
}
func.func @main() {
  %x = arith.constant dense<[4.0, 8.0]> : tensor<2xf32>
  %r = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %u = tensor.cast %r : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
