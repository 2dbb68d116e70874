// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
// CHECK: sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
// CHECK: sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @one = <[], device_ids=[3]>

// CHECK: func.func @shardings(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"z"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], unreduced={"y"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>}) {
func.func @shardings(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"z"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], unreduced={"y"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>}) {
  // CHECK: sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.reshard %0 <@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
  // CHECK:      sdy.manual_computation(%0, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}], replicated={"x"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<8x8xf32>) {
  // CHECK-NEXT:   sdy.return %arg2 : tensor<4x8xf32>
  // CHECK-NEXT: } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.manual_computation(%0, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}], replicated={"x"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<4x8xf32>, %b: tensor<8x8xf32>) {
    sdy.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %2 allowed_direction=NONE : tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %3 group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %3 group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.named_computation<"foo">(%3) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x8xf32>) {
  %4 = sdy.named_computation<"foo">(%3) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%a: tensor<8x8xf32>) {
    sdy.return %a : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.all_gather [{"x"}, {}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %5 = sdy.all_gather [{"x"}, {}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_slice [{"x"}, {}] %5 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %6 = sdy.all_slice [{"x"}, {}] %5 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"x"}: 0->1] %6 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %s = sdy.all_to_all [{"x"}: 0->1] %6 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"z"} %7 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %7 = sdy.all_reduce {"z"} %s out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>}
  %8 = stablehlo.add %7, %7 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x8xf32>
  // CHECK: {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([jk, i]) {i=8, j=2, k=4} need_replication={j} permutation={i}, custom>}
  %9 = stablehlo.custom_call @x(%8) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([jk, i]) {i=8, j=2, k=4} need_replication={j} permutation={i}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %9 : tensor<8x8xf32>
}

// Parts along unreduced axes, and results of collectives, may be combined by other reductions than sums; tokens have shardings, too.
// CHECK: func.func @reductions(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced=max{"y"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>}, %arg2: !stablehlo.token)
func.func @reductions(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced=max{"y"}>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced=sum{"y"}>}, %t: !stablehlo.token) {
  // CHECK: sdy.all_reduce max {"y"} %arg0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %0 = sdy.all_reduce max {"y"} %x out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.reduce_scatter max [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %1 = sdy.reduce_scatter max [{"y"}, {}] %x out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"y"} %arg1 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %2 = sdy.all_reduce {"y"} %y out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_constraint %arg2 <@mesh, []> : !stablehlo.token
  %3 = sdy.sharding_constraint %t <@mesh, []> : !stablehlo.token
  return
}
