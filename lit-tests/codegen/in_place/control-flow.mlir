// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,convert-bufferization-to-memref,%to_llvm)' | %run_main | FileCheck %s
// Control flow of StableHLO becomes that of scf. From 27 it takes 111 steps to 1, by way of 9232.
// CHECK: [111,  9232]
// CHECK: [3,  4]
// CHECK: [5,  6]
func.func private @printMemrefI32(tensor<*xi32>)
func.func @collatz(%n: tensor<i32>) -> tensor<2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.while(%x = %n, %steps = %zero, %most = %n) : tensor<i32>, tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare NE, %x, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %rem = stablehlo.remainder %x, %two : tensor<i32>
      %odd = stablehlo.compare EQ, %rem, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %next = "stablehlo.if"(%odd) ({
        %a = stablehlo.multiply %x, %three : tensor<i32>
        %b = stablehlo.add %a, %one : tensor<i32>
        stablehlo.return %b : tensor<i32>
      }, {
        %a = stablehlo.divide %x, %two : tensor<i32>
        stablehlo.return %a : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      %more = stablehlo.add %steps, %one : tensor<i32>
      %m = stablehlo.maximum %most, %next : tensor<i32>
      stablehlo.return %next, %more, %m : tensor<i32>, tensor<i32>, tensor<i32>
    }
  %s = stablehlo.reshape %r#1 : (tensor<i32>) -> tensor<1xi32>
  %t = stablehlo.reshape %r#2 : (tensor<i32>) -> tensor<1xi32>
  %u = stablehlo.concatenate %s, %t, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  return %u : tensor<2xi32>
}
func.func @choose(%i: tensor<i32>) -> tensor<2xi32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    stablehlo.return %a : tensor<2xi32>
  }, {
    %a = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    stablehlo.return %a : tensor<2xi32>
  }, {
    %a = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
    stablehlo.return %a : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @main() {
  %n = arith.constant dense<27> : tensor<i32>
  %r = call @collatz(%n) : (tensor<i32>) -> tensor<2xi32>
  %u = tensor.cast %r : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  %c1 = arith.constant dense<1> : tensor<i32>
  %a = call @choose(%c1) : (tensor<i32>) -> tensor<2xi32>
  %au = tensor.cast %a : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%au) : (tensor<*xi32>) -> ()
  %c7 = arith.constant dense<-7> : tensor<i32>
  %b = call @choose(%c7) : (tensor<i32>) -> tensor<2xi32>
  %bu = tensor.cast %b : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%bu) : (tensor<*xi32>) -> ()
  return
}
