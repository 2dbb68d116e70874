// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=threads=2 | FileCheck %s
// RUN: mapwright run %s --threads 2 | FileCheck %s --check-prefix=VALUES

// A loop that writes a row of what it carries does little: what a scatter leaves as it was costs nothing where result and operand share memory, and
// no thread is asked for help. Each row is twice the one before.

// CHECK: llvm.func @mw_entry_main
// CHECK-NOT: mw_parallel
// CHECK: func.func {{.*}}@region_0

// VALUES: dense<[1024{{(, 1024)+}}]> : tensor<64xi32>
func.func public @main() -> tensor<64xi32> {
  %first = stablehlo.constant dense<1> : tensor<5000x64xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %state = %first) : tensor<i32>, tensor<5000x64xi32>
  cond {
    %more = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %state, %i, %zero, sizes = [1, 64] : (tensor<5000x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x64xi32>
    %twice = stablehlo.add %row, %row : tensor<1x64xi32>
    %update = stablehlo.reshape %twice : (tensor<1x64xi32>) -> tensor<64xi32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %at = stablehlo.reshape %next : (tensor<i32>) -> tensor<1xi32>
    %written = "stablehlo.scatter"(%state, %at, %update) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>
    }> ({
    ^bb0(%old: tensor<i32>, %value: tensor<i32>):
      stablehlo.return %value : tensor<i32>
    }) : (tensor<5000x64xi32>, tensor<1xi32>, tensor<64xi32>) -> tensor<5000x64xi32>
    stablehlo.return %next, %written : tensor<i32>, tensor<5000x64xi32>
  }
  %last = stablehlo.slice %0#1 [10:11, 0:64] : (tensor<5000x64xi32>) -> tensor<1x64xi32>
  %result = stablehlo.reshape %last : (tensor<1x64xi32>) -> tensor<64xi32>
  return %result : tensor<64xi32>
}
