// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// What newer versions of XLA note for themselves and have as operations.

// CHECK: module attributes {mhlo.cross_program_prefetches = [#mhlo.cross_program_prefetch<parameter = 0, indices = []>]}
module attributes {mhlo.cross_program_prefetches = [#mhlo.cross_program_prefetch<parameter = 0, indices = []>]} {
  // CHECK: mhlo.original_value = #mhlo.original_value<false, [<[], <"x", []>>]>
  // CHECK-SAME: mhlo.result_alias = #mhlo.result_alias<tuple_indices = [1, 0], result_index = [0, 1], must_alias>
  func.func @main(%x: tensor<4xi32> {mhlo.original_value = #mhlo.original_value<false, [<[], <"x", []>>]>}, %y: tensor<4xi32>, %t: tuple<tensor<i1>, tuple<tensor<2xf32>>> {mhlo.result_alias = #mhlo.result_alias<tuple_indices = [1, 0], result_index = [0, 1], must_alias>}, %c: tensor<i32>, %r: tuple<tensor<i1>, tensor<2xf32>>) -> tuple<tensor<i1>, tensor<2xf32>> {
    // CHECK: mhlo.mulhi %arg0, %arg1 : tensor<4xi32>
    %0 = mhlo.mulhi %x, %y : tensor<4xi32>
    // CHECK: "mhlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #mhlo.replica_group_mesh_axes<mesh = #mhlo.mesh<axes = [#mhlo.mesh_axis<name = "x", size = 2>]>, axes = [#mhlo.axis_ref<name = "x">]>}>
    %1 = "mhlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #mhlo.replica_group_mesh_axes<mesh = #mhlo.mesh<axes = [#mhlo.mesh_axis<name = "x", size = 2>]>, axes = [#mhlo.axis_ref<name = "x">]>} : (tensor<4xi32>) -> tensor<8xi32>
    // CHECK: mhlo.scan(%arg0) inits (%arg3) dimension=0
    %2:2 = mhlo.scan(%x) inits (%c) dimension=0 {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = mhlo.add %a, %b : tensor<i32>
      mhlo.return %s, %s : tensor<i32>, tensor<i32>
    } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
    return %r : tuple<tensor<i1>, tensor<2xf32>>
  }
}
