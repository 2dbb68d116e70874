// Types without infinities are asked in one that has them: there is no constant of theirs to compare with.

// RUN: mapwright-opt %s --indexing-legalize-chlo | FileCheck %s
// RUN: mapwright-opt %s --indexing-legalize-chlo -o %t && mapwright run %t --entry main

// CHECK-LABEL: @narrow
// CHECK: stablehlo.convert %arg0 : (tensor<?xf8E4M3FN>) -> tensor<?xf32>
// CHECK-NOT: chlo
func.func private @narrow(%x: tensor<?xf8E4M3FN>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) {
  %0 = chlo.is_inf %x : tensor<?xf8E4M3FN> -> tensor<?xi1>
  %1 = chlo.is_pos_inf %x : tensor<?xf8E4M3FN> -> tensor<?xi1>
  %2 = chlo.is_neg_inf %x : tensor<?xf8E4M3FN> -> tensor<?xi1>
  return %0, %1, %2 : tensor<?xi1>, tensor<?xi1>, tensor<?xi1>
}

// CHECK-LABEL: @main
func.func @main() {
  // No number of four bits is infinite; 6.0 is the greatest.
  %a = stablehlo.constant dense<[6.0, -6.0, 0.5]> : tensor<3xf4E2M1FN>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<3xf4E2M1FN>) -> tensor<3xf32>
  %0 = chlo.is_inf %a : tensor<3xf4E2M1FN> -> tensor<3xi1>
  check.expect_eq_const %0, dense<false> : tensor<3xi1>
  // In this type of eight bits there are infinities.
  %b = stablehlo.constant dense<[0x7C, 0xFC, 0x7B]> : tensor<3xf8E5M2>
  %1 = chlo.is_inf %b : tensor<3xf8E5M2> -> tensor<3xi1>
  check.expect_eq_const %1, dense<[true, true, false]> : tensor<3xi1>
  %2 = chlo.is_pos_inf %b : tensor<3xf8E5M2> -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, false, false]> : tensor<3xi1>
  %3 = chlo.is_neg_inf %b : tensor<3xf8E5M2> -> tensor<3xi1>
  check.expect_eq_const %3, dense<[false, true, false]> : tensor<3xi1>
  return
}
