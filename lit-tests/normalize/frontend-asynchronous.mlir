// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s

// One device has nothing to do between the start and the end of a computation.

// CHECK-NOT: async
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.slice
// CHECK: call @twice
// CHECK-NOT: async
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>

  // A region; what it gives may be what it takes.
  %0 = "stablehlo.async_start"(%x, %x) ({
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %r = stablehlo.slice %a [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    stablehlo.return %r, %b : tensor<2xf32>, tensor<3xf32>
  }) : (tensor<3xf32>, tensor<3xf32>) -> !stablehlo.future<tensor<2xf32>, tensor<3xf32>>
  %1:2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>, tensor<3xf32>>) -> (tensor<2xf32>, tensor<3xf32>)
  check.expect_eq_const %1#0, dense<[2.0, 3.0]> : tensor<2xf32>
  check.expect_eq_const %1#1, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>

  // A function, and states in between.
  %2 = "mhlo.async_start"(%x) {called_computation = @twice, execution_thread = "main"} : (tensor<3xf32>) -> !mhlo.async_bundle<tensor<3xf32>, tensor<3xf32>>
  %3 = "mhlo.async_update"(%2) : (!mhlo.async_bundle<tensor<3xf32>, tensor<3xf32>>) -> !mhlo.async_bundle<tensor<3xf32>, tensor<3xf32>>
  %4 = "mhlo.async_update"(%3) : (!mhlo.async_bundle<tensor<3xf32>, tensor<3xf32>>) -> !mhlo.async_bundle<tensor<3xf32>, tensor<3xf32>>
  %5 = "mhlo.async_done"(%4) : (!mhlo.async_bundle<tensor<3xf32>, tensor<3xf32>>) -> tensor<3xf32>
  check.expect_eq_const %5, dense<[2.0, 4.0, 6.0]> : tensor<3xf32>
  return
}

func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> attributes {execution_thread = "main"} {
  %0 = mhlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
