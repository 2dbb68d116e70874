// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse | FileCheck %s

// What fails by itself where sizes do not fit comes behind the assertion before it, which says why: also where the assertion needs the results of a region
// that ends further down.
// CHECK: @shape_assertion
// CHECK: stablehlo.dynamic_update_slice
func.func @main(%x: tensor<?xi64>) -> (tensor<2xi64>, tensor<i32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi64>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %more = stablehlo.add %n, %one : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %ok = stablehlo.compare LE, %more, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "too many: {0}", has_side_effect = true, api_version = 2 : i32} : (tensor<i1>, tensor<i32>) -> ()
  %z = stablehlo.constant dense<0> : tensor<2xi64>
  %c = stablehlo.constant dense<0> : tensor<i64>
  %u = stablehlo.dynamic_update_slice %z, %x, %c : (tensor<2xi64>, tensor<?xi64>, tensor<i64>) -> tensor<2xi64>
  %twice = stablehlo.multiply %more, %more : tensor<i32>
  return %u, %twice : tensor<2xi64>, tensor<i32>
}
