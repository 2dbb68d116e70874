// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s

// Loops, conditionals and barriers of older programs have one value, which is a tuple; it may have tokens and tuples in it.

// CHECK-NOT: tuple
// CHECK: return
func.func @main() {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %token = stablehlo.create_token : !stablehlo.token

  // 1, 2, 4, 8, 16 while the first is below 10; the second is doubled as often.
  %inner = stablehlo.tuple %x, %token : tuple<tensor<2xf32>, !stablehlo.token>
  %state = stablehlo.tuple %one, %inner : tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>
  %0 = "stablehlo.while"(%state) ({
  ^bb0(%s: tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>):
    %i = stablehlo.get_tuple_element %s[0] : (tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tensor<i32>
    %less = stablehlo.compare LT, %i, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }, {
  ^bb0(%s: tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>):
    %i = stablehlo.get_tuple_element %s[0] : (tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tensor<i32>
    %p = stablehlo.get_tuple_element %s[1] : (tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tuple<tensor<2xf32>, !stablehlo.token>
    %y = stablehlo.get_tuple_element %p[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
    %t = stablehlo.get_tuple_element %p[1] : (tuple<tensor<2xf32>, !stablehlo.token>) -> !stablehlo.token
    %j = stablehlo.add %i, %i : tensor<i32>
    %z = stablehlo.add %y, %y : tensor<2xf32>
    %q = stablehlo.tuple %z, %t : tuple<tensor<2xf32>, !stablehlo.token>
    %n = stablehlo.tuple %j, %q : tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>
    stablehlo.return %n : tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>
  }) : (tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tensor<i32>
  check.expect_eq_const %1, dense<16> : tensor<i32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<i32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tuple<tensor<2xf32>, !stablehlo.token>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  check.expect_eq_const %3, dense<[16.0, 32.0]> : tensor<2xf32>

  %4 = "stablehlo.if"(%true) ({
    %a = stablehlo.tuple %x, %one : tuple<tensor<2xf32>, tensor<i32>>
    stablehlo.return %a : tuple<tensor<2xf32>, tensor<i32>>
  }, {
    %a = stablehlo.negate %x : tensor<2xf32>
    %b = stablehlo.tuple %a, %ten : tuple<tensor<2xf32>, tensor<i32>>
    stablehlo.return %b : tuple<tensor<2xf32>, tensor<i32>>
  }) : (tensor<i1>) -> tuple<tensor<2xf32>, tensor<i32>>
  %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  check.expect_eq_const %5, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
