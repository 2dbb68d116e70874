// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s
// RUN: mapwright maps %s --func main | FileCheck %s --check-prefix=MAPS

// Operations of CHLO and MHLO that travel as custom calls: the name is the operation's, its attributes are in a dictionary. The values of
// functions are those of Python's math module, the others are worked out by hand.

// MAPS: mhlo.erf at
// MAPS-NEXT: result 0 -> operand 0
// MAPS-NEXT: (d0) -> (d0)

// CHECK-LABEL: func.func @main
// CHECK: mhlo.erf
// CHECK: chlo.erf
// CHECK: chlo.erfc
// CHECK: mhlo.tan
// CHECK: mhlo.sinh
// CHECK: chlo.lgamma
// CHECK-NOT: custom_call @mhlo
// CHECK-NOT: custom_call @chlo
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -0.25]> : tensor<2xf64>
  %erf = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %erf, dense<[0.5204998778130465, -0.2763263901682369]> : tensor<2xf64>
  // Any version, and an older or newer form of the attributes.
  %erf_again = stablehlo.custom_call @chlo.erf(%x) {backend_config = "", mhlo.version = 7 : i64, xla_shape = "f64[2]{0}"} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %erf_again, dense<[0.5204998778130465, -0.2763263901682369]> : tensor<2xf64>
  // An operation that MHLO does not have is CHLO's.
  %erfc = stablehlo.custom_call @mhlo.erfc(%x) {mhlo.attributes = {}} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %erfc, dense<[0.4795001221869535, 1.276326390168237]> : tensor<2xf64>
  %tan = stablehlo.custom_call @mhlo.tan(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %tan, dense<[0.5463024898437905, -0.25534192122103627]> : tensor<2xf64>
  %sinh = stablehlo.custom_call @mhlo.sinh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %sinh, dense<[0.5210953054937474, -0.2526123168081683]> : tensor<2xf64>
  %cosh = stablehlo.custom_call @mhlo.cosh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %cosh, dense<[1.1276259652063807, 1.0314130998795732]> : tensor<2xf64>
  %acos = stablehlo.custom_call @mhlo.acos(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %acos, dense<[1.0471975511965979, 1.8234765819369754]> : tensor<2xf64>
  %asin = stablehlo.custom_call @mhlo.asin(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %asin, dense<[0.5235987755982989, -0.25268025514207865]> : tensor<2xf64>
  %asinh = stablehlo.custom_call @mhlo.asinh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %asinh, dense<[0.48121182505960347, -0.24746646154726346]> : tensor<2xf64>
  %atanh = stablehlo.custom_call @mhlo.atanh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %atanh, dense<[0.5493061443340548, -0.25541281188299536]> : tensor<2xf64>
  %y = stablehlo.constant dense<[1.5, 3.0]> : tensor<2xf64>
  %acosh = stablehlo.custom_call @mhlo.acosh(%y) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %acosh, dense<[0.9624236501192069, 1.762747174039086]> : tensor<2xf64>
  %z = stablehlo.constant dense<[0.5, 2.5]> : tensor<2xf64>
  %lgamma = stablehlo.custom_call @chlo.lgamma(%z) {chlo.attributes = {}} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %lgamma, dense<[0.5723649429247004, 0.2846828704729196]> : tensor<2xf64>
  func.call @selection() : () -> ()
  func.call @products() : () -> ()
  func.call @moves() : () -> ()
  return
}

func.func private @selection() {
  %x = stablehlo.constant dense<[[3.0, 1.0, 4.0], [1.0, 5.0, 1.0]]> : tensor<2x3xf32>
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[4.0, 3.0], [5.0, 1.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[2, 0], [1, 0]]> : tensor<2x2xi32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %1#0, dense<[[1.0, 3.0], [1.0, 1.0]]> : tensor<2x2xf32>
  check.expect_eq_const %1#1, dense<[[1, 0], [0, 2]]> : tensor<2x2xi32>
  // One value that is a tuple.
  %2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64}, mhlo.version = 1 : i64} : (tensor<2x3xf32>) -> tuple<tensor<2x1xf32>, tensor<2x1xi32>>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<2x1xf32>, tensor<2x1xi32>>) -> tensor<2x1xi32>
  check.expect_eq_const %3, dense<[[2], [1]]> : tensor<2x1xi32>
  return
}

// Two groups of rows, of one and two: [1 2] [1 1]^T = 3; then [3 4] and [5 6] by [1 0]^T.
func.func private @products() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = stablehlo.constant dense<[[[1.0], [1.0]], [[1.0], [0.0]]]> : tensor<2x2x1xf32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.custom_call @mhlo.ragged_dot(%x, %y, %sizes) {
    mhlo.attributes = {
      precision_config = [#mhlo<precision DEFAULT>, #mhlo<precision DEFAULT>],
      ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = <lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
    }, mhlo.version = 1 : i64
  } : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  check.expect_eq_const %0, dense<[[3.0], [3.0], [5.0]]> : tensor<3x1xf32>
  // In CHLO's spelling.
  %1 = stablehlo.custom_call @chlo.ragged_dot(%x, %y, %sizes) {
    chlo.attributes = {
      precision_config = ["DEFAULT", "HIGHEST"],
      ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
    }
  } : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  check.expect_eq_const %1, dense<[[3.0], [3.0], [5.0]]> : tensor<3x1xf32>
  return
}

// Operations of MHLO alone, and one with a region, which is a function here.
func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func private @moves() {
  %x = stablehlo.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %0 = stablehlo.custom_call @mhlo.copy(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %1 = stablehlo.custom_call @mhlo.sort(%x) {called_computations = [@larger], mhlo.attributes = {dimension = 0 : i64, is_stable = true}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[3.0, 1.0, -2.0]> : tensor<3xf32>
  %2 = stablehlo.custom_call @chlo.broadcast_add(%x, %x) {chlo.attributes = {broadcast_dimensions = array<i64: 0>}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[2.0, -4.0, 6.0]> : tensor<3xf32>
  return
}
