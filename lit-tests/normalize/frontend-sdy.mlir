// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s
// RUN: mapwright maps %s --func shown --compose | FileCheck %s --check-prefix=MAPS

// Shardy's operations say where tensors are. On one device, and along axes of size 1, all of them compute their operands.

sdy.mesh @mesh = <["x"=1]>
sdy.mesh @larger = <["x"=1, "y"=4]>

// MAPS: result 0 -> argument 0
// MAPS-NEXT: (d0, d1) -> (d0, d1)
func.func @shown(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = sdy.sharding_constraint %a <@larger, [{"y"}, {}]> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NOT: sdy.
func.func @main() {
  %a = sdy.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  sdy.sharding_group %0 group_id=3 : tensor<2x2xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<2x2xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<2x2xf32>
  %same = stablehlo.optimization_barrier %2 : tensor<2x2xf32>
  %3 = sdy.data_flow_edge %same : tensor<2x2xf32>
  %4:2 = sdy.manual_computation(%3, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"x"} (%b: tensor<2x2xf32>, %c: tensor<2x2xf32>) {
    %5 = stablehlo.multiply %b, %c : tensor<2x2xf32>
    %6 = sdy.named_computation<"twice">(%5) (%d: tensor<2x2xf32>) {
      %7 = stablehlo.add %d, %d : tensor<2x2xf32>
      sdy.return %7 : tensor<2x2xf32>
    } : (tensor<2x2xf32>) -> tensor<2x2xf32>
    // An argument of the region that is a result of it.
    sdy.return %6, %c : tensor<2x2xf32>, tensor<2x2xf32>
  } : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %8 = sdy.all_gather [{"x"}, {}] %4#0 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
  %9 = sdy.all_slice [{"x"}, {}] %8 out_sharding=<@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  %10 = sdy.all_to_all [{"x"}: 0->1] %9 out_sharding=<@mesh, [{}, {"x"}]> : tensor<2x2xf32>
  %whole = sdy.all_gather [{}, {"x"}] %10 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
  %11 = sdy.all_reduce {"x"} %whole out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
  %12 = sdy.collective_permute %11 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
  check.expect_eq_const %12, dense<[[2.0, 8.0], [18.0, 32.0]]> : tensor<2x2xf32>
  check.expect_eq_const %4#1, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // The form of exported programs.
  stablehlo.custom_call @xla.sdy.ShardingGroup(%12) {has_side_effect = true} : (tensor<2x2xf32>) -> ()
  %13 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%12) {has_side_effect = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %13, dense<[[2.0, 8.0], [18.0, 32.0]]> : tensor<2x2xf32>
  return
}
