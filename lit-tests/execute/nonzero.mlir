// RUN: mapwright run %s
// RUN: mapwright run --specialize off %s
// RUN: mapwright run --interpret %s

// torch.nonzero in legacy MHLO from its text to the positions: as many rows as there are elements that are not zero.

func.func @main() {
  func.call @case0() : () -> ()
  func.call @case1() : () -> ()
  func.call @case2() : () -> ()
  func.call @case3() : () -> ()
  return
}

func.func private @case0() {
  %0 = stablehlo.constant dense<[[1, 0, 0, 5, 0, 6]]> : tensor<1x6xi64>
  %1 = stablehlo.optimization_barrier %0 : tensor<1x6xi64>
  %2 = func.call @nonzero(%1) : (tensor<1x6xi64>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
  %3 = "mhlo.get_tuple_element"(%2) {index = 0 : i32} : (tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>) -> tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>
  %4 = "mhlo.get_dimension_size"(%3) {dimension = 0 : i64} : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>) -> tensor<i32>
  check.expect_eq_const %4, dense<3> : tensor<i32>
  %5 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %6 = mhlo.dynamic_reshape %3, %5 : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>, tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %6, dense<[[0, 0], [0, 3], [0, 5]]> : tensor<3x2xi32>
  return
}

func.func private @case1() {
  %0 = stablehlo.constant dense<[[0, 0, 0, 0, 0, 0]]> : tensor<1x6xi64>
  %1 = stablehlo.optimization_barrier %0 : tensor<1x6xi64>
  %2 = func.call @nonzero(%1) : (tensor<1x6xi64>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
  %3 = "mhlo.get_tuple_element"(%2) {index = 0 : i32} : (tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>) -> tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>
  %4 = "mhlo.get_dimension_size"(%3) {dimension = 0 : i64} : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>) -> tensor<i32>
  check.expect_eq_const %4, dense<0> : tensor<i32>
  %5 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
  %6 = mhlo.dynamic_reshape %3, %5 : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>, tensor<2xi64>) -> tensor<0x2xi32>
  check.expect_eq_const %6, dense<> : tensor<0x2xi32>
  return
}

func.func private @case2() {
  %0 = stablehlo.constant dense<[[-1, 2, 3, 4, 5, -9223372036854775808]]> : tensor<1x6xi64>
  %1 = stablehlo.optimization_barrier %0 : tensor<1x6xi64>
  %2 = func.call @nonzero(%1) : (tensor<1x6xi64>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
  %3 = "mhlo.get_tuple_element"(%2) {index = 0 : i32} : (tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>) -> tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>
  %4 = "mhlo.get_dimension_size"(%3) {dimension = 0 : i64} : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>) -> tensor<i32>
  check.expect_eq_const %4, dense<6> : tensor<i32>
  %5 = stablehlo.constant dense<[6, 2]> : tensor<2xi64>
  %6 = mhlo.dynamic_reshape %3, %5 : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>, tensor<2xi64>) -> tensor<6x2xi32>
  check.expect_eq_const %6, dense<[[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]> : tensor<6x2xi32>
  return
}

func.func private @case3() {
  %0 = stablehlo.constant dense<[[0, 0, 0, 0, 0, 7]]> : tensor<1x6xi64>
  %1 = stablehlo.optimization_barrier %0 : tensor<1x6xi64>
  %2 = func.call @nonzero(%1) : (tensor<1x6xi64>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
  %3 = "mhlo.get_tuple_element"(%2) {index = 0 : i32} : (tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>) -> tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>
  %4 = "mhlo.get_dimension_size"(%3) {dimension = 0 : i64} : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>) -> tensor<i32>
  check.expect_eq_const %4, dense<1> : tensor<i32>
  %5 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %6 = mhlo.dynamic_reshape %3, %5 : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>, tensor<2xi64>) -> tensor<1x2xi32>
  check.expect_eq_const %6, dense<[[0, 5]]> : tensor<1x2xi32>
  return
}

func.func private @nonzero(%arg0: tensor<1x6xi64>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>> {
%0 = mhlo.constant dense<0> : tensor<i64>
%1 = "mhlo.broadcast_in_dim"(%0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i64>) -> tensor<1x6xi64>
%2 = mhlo.compare NE, %arg0, %1 : (tensor<1x6xi64>, tensor<1x6xi64>) -> tensor<1x6xi1>
%3 = mhlo.convert(%2) : (tensor<1x6xi1>) -> tensor<1x6xi32>
%4 = mhlo.reshape %3 : (tensor<1x6xi32>) -> tensor<6xi32>
%5 = "mhlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<1x6xi32>
%6 = mhlo.reshape %5 : (tensor<1x6xi32>) -> tensor<6xi32>
%7 = "mhlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<1x6xi32>
%8 = mhlo.reshape %7 : (tensor<1x6xi32>) -> tensor<6xi32>
%9:3 = "mhlo.sort"(%4, %6, %8) ({
^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
%20 = mhlo.constant dense<true> : tensor<i1>
%21 = mhlo.compare GT, %arg1, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
%22 = "mhlo.select"(%20, %21, %20) : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
mhlo.return %22 : tensor<i1>
}) {dimension = 0 : i64, is_stable = true} : (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>)
%10 = mhlo.reshape %9#1 : (tensor<6xi32>) -> tensor<6x1xi32>
%11 = mhlo.reshape %9#2 : (tensor<6xi32>) -> tensor<6x1xi32>
%12 = "mhlo.concatenate"(%10, %11) {dimension = 1 : i64} : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
%13 = mhlo.constant dense<0> : tensor<i32>
%14 = "mhlo.broadcast_in_dim"(%13) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i32>) -> tensor<6xi32>
%15 = mhlo.compare GT, %4, %14 : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
%16 = mhlo.convert(%15) : (tensor<6xi1>) -> tensor<6xi32>
%17 = mhlo.reduce(%16 init: %13) across dimensions = [0] : (tensor<6xi32>, tensor<i32>) -> tensor<i32>
reducer(%arg1: tensor<i32>, %arg2: tensor<i32>) {
%20 = mhlo.add %arg1, %arg2 : tensor<i32>
mhlo.return %20 : tensor<i32>
}
%18 = "mhlo.set_dimension_size"(%12, %17) {dimension = 0 : i64} : (tensor<6x2xi32>, tensor<i32>) -> tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>
%19 = "mhlo.tuple"(%18) {xla_shape = "(s32[<=6,2]{1,0})"} : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
return %19 : tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
}
