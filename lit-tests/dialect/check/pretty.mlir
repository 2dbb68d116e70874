// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s

// CHECK-LABEL: func.func @expectations
func.func @expectations(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // CHECK: check.expect_eq %arg0, %arg1 : tensor<2xf32>
  check.expect_eq %a, %b : tensor<2xf32>
  // CHECK: check.expect_eq_const %arg0, dense<1.000000e+00> : tensor<2xf32>
  check.expect_eq_const %a, dense<1.0> : tensor<2xf32>
  // CHECK-COUNT-2: check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<2xf32>, tolerance = 1.000000e-03
  check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32> {tolerance = 1.0e-3 : f64}
  check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>, tolerance = 1.0e-3
  // CHECK: check.expect_almost_eq %arg0, %arg1, tolerance = 1.000000e-01 : tensor<2xf32>
  check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<2xf32>
  // CHECK: check.expect_close %arg0, %arg1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  // CHECK: check.expect_close %arg0, %arg1, max_ulp_difference = 1, min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 1, min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // CHECK-COUNT-2: check.expect_close %arg0, %arg1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  "check.expect_close"(%a, %b) {max_ulp_difference = 3 : ui64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  "check.expect_close"(%a, %b) {max_ulp_difference = 3 : i64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  // CHECK: interpreter.probe %arg0, probe_id = "a" : tensor<2xf32>
  %0 = interpreter.probe %a, probe_id = "a" : tensor<2xf32>
  // CHECK: check.expect_serialized_eq %{{.*}}, probe_id = "a" : tensor<2xf32>
  check.expect_serialized_eq %0, probe_id = "a" : tensor<2xf32>
  // CHECK-COUNT-2: check.expect_serialized_eq %{{.*}}, probe_id = "a", iter = 2 : tensor<2xf32>
  check.expect_serialized_eq %0, probe_id = "a", iter = 2 : tensor<2xf32>
  check.expect_serialized_eq %0, probe_id = "a", iteration = 2 : tensor<2xf32>
  return
}
