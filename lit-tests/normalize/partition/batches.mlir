// REQUIRES: sdy
// RUN: split-file %s %t
// RUN: mapwright run %t/lapack.mlir --devices 2 | FileCheck %t/lapack.mlir --check-prefix=GIVES
// RUN: mapwright-opt %t/lapack.mlir --indexing-partition | FileCheck %t/lapack.mlir
// RUN: mapwright-opt %t/stated.mlir --indexing-partition | FileCheck %t/stated.mlir
// RUN: mapwright-opt %t/parts.mlir --indexing-partition | FileCheck %t/parts.mlir

//--- lapack.mlir
// Functions of LAPACK go through their batches one matrix after the other: each device has its own. The results are of several shapes.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: all_gather
// CHECK: stablehlo.custom_call @lapack_dpotrf_ffi(%{{.*}}) {{.*}} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1xi32>)
// CHECK-NOT: all_gather
// CHECK: return
// GIVES: dense<{{\[\[}}[2.0, 2.0], [1.0, 2.0]], {{\[\[}}3.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf64>
// GIVES: dense<[0, 0]> : tensor<2xi32>
func.func @main() -> (tensor<2x2x2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %numbers = stablehlo.constant dense<[[[4.0, 2.0], [2.0, 5.0]], [[9.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf64>
  %a = sdy.sharding_constraint %numbers <@mesh, [{"x"}, {}, {}]> : tensor<2x2x2xf64>
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {
    backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
    result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]
  } : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x2x2xf64>, tensor<2xi32>
}

//--- stated.mlir
// A function that nobody knows here goes through a batch if its call says so, and is computed of whole tensors otherwise.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
// CHECK: %[[ROWS:.*]] = stablehlo.custom_call @rows(%{{.*}}) {{.*}} : (tensor<2x3xf32>) -> tensor<2xf32>
// CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0 : i64
// CHECK: stablehlo.custom_call @all(%{{.*}}) : (tensor<4x3xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>) {
  %0 = stablehlo.custom_call @rows(%x) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<4x3xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @all(%x) : (tensor<4x3xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

//--- parts.mlir
sdy.mesh @mesh = <["x"=2]>
// JAX's way of saying that each device calls Python with its part.
// CHECK-LABEL: func.func @main
// CHECK-NOT: all_gather
// CHECK: stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%arg0) {{.*}} : (tensor<2xf32>) -> !stablehlo.token
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%x) {has_side_effect = true} : (tensor<4xf32>) -> !stablehlo.token
  return
}
