// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%a: tensor<4x4xf32>, %s: tensor<f32>, %p: tensor<4x4xi1>, %i: tensor<i32>) {
  // CHECK: chlo.erf %{{.*}} : tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = "chlo.erf"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = "chlo.next_after"(%a, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: chlo.is_inf %{{.*}} : tensor<4x4xf32> -> tensor<4x4xi1>
  %2 = "chlo.is_inf"(%a) : (tensor<4x4xf32>) -> tensor<4x4xi1>
  // CHECK: chlo.broadcast_add %{{.*}}, %{{.*}} {broadcast_dimensions = array<i64>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %3 = chlo.broadcast_add %a, %s {broadcast_dimensions = array<i64>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // CHECK: chlo.broadcast_compare %{{.*}}, %{{.*}} {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xi1>
  %4 = chlo.broadcast_compare %a, %s {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xi1>
  // CHECK: %values, %indices = chlo.top_k(%{{.*}}, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %5:2 = chlo.top_k(%a, k=2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  // CHECK: chlo.top_k(%{{.*}}, k = 2, is_stable = false) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %any:2 = chlo.top_k(%a, k = 2, is_stable = false) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  // CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %stable:2 = chlo.top_k(%a, k = 2, is_stable = true) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  // CHECK: chlo.constant dense<1> : tensor<2xi32>
  %6 = chlo.constant dense<1> : tensor<2xi32>
  // CHECK: %{{.*}}:2 = chlo.scan(%{{.*}}) inits (%{{.*}}) dimension=0  attributes {is_reverse = true} {
  // CHECK-NEXT: ^bb0(%input: tensor<4xf32>, %carry: tensor<i32>):
  // CHECK-NEXT:   stablehlo.return %input, %carry : tensor<4xf32>, tensor<i32>
  // CHECK-NEXT: } : (tensor<4x4xf32>, tensor<i32>) -> (tensor<4x4xf32>, tensor<i32>)
  %7:2 = chlo.scan(%a) inits (%i) dimension=0 attributes {is_reverse = true} {
  ^bb0(%x: tensor<4xf32>, %c: tensor<i32>):
    stablehlo.return %x, %c : tensor<4xf32>, tensor<i32>
  } : (tensor<4x4xf32>, tensor<i32>) -> (tensor<4x4xf32>, tensor<i32>)
  return
}
