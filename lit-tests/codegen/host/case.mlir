// RUN: mapwright-opt %s --indexing-to-loops | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// An index out of range takes the last branch.

// CHECK: llvm.func @mw_entry_main
// CHECK: llvm.cond_br

// VALUES: dense<20> : tensor<i32>
// VALUES: dense<30> : tensor<i32>
// VALUES: dense<30> : tensor<i32>
func.func private @choose(%i: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%i) ({
    %a = stablehlo.constant dense<10> : tensor<i32>
    stablehlo.return %a : tensor<i32>
  }, {
    %b = stablehlo.constant dense<20> : tensor<i32>
    stablehlo.return %b : tensor<i32>
  }, {
    %c = stablehlo.constant dense<30> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

func.func public @main() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %0 = call @choose(%one) : (tensor<i32>) -> tensor<i32>
  %1 = call @choose(%seven) : (tensor<i32>) -> tensor<i32>
  %2 = call @choose(%minus) : (tensor<i32>) -> tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
}
