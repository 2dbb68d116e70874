// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0" | FileCheck %s --check-prefixes=BOTH,VALUES
// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0 loops=states" | FileCheck %s --check-prefixes=BOTH,STATES

// The loop keeps a row for each of its three iterations: of the value that the adjoint reads, or of the state that it computes the value from. The
// adjoint goes over them backwards. What no iteration changes, and the number of the iteration, are not kept.
// BOTH-LABEL: func.func @f_vjp
// BOTH: %[[KEPT:.*]]:4 = stablehlo.while
// VALUES: stablehlo.tanh
// BOTH: stablehlo.dynamic_update_slice %{{.*}} : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
// BOTH: stablehlo.while
// BOTH: stablehlo.subtract %{{.*}} : tensor<i64>
// BOTH: stablehlo.dynamic_slice %[[KEPT]]#3
// STATES: stablehlo.tanh
// VALUES-NOT: stablehlo.tanh
// BOTH: return
// BOTH-LABEL: func.func @f(
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %t = stablehlo.tanh %s : tensor<2xf32>
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %t : tensor<i32>, tensor<2xf32>
  }
  return %w#1 : tensor<2xf32>
}
