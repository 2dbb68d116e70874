// REQUIRES: sdy
// RUN: not mapwright-opt %s --split-input-file --pass-pipeline='builtin.module(indexing-partition)' 2>&1 | FileCheck %s

sdy.mesh @turned = <["x"=2], device_ids=[1, 0]>
sdy.mesh @straight = <["x"=2]>
// CHECK: error: 'func.func' op sharding of argument 1: {{.*}}its devices are in another order than [1, 0], that of others
func.func @orders(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@straight, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @own(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<ui32> {
  // CHECK: error: 'stablehlo.partition_id' op is written for one device, and stands in the program of all of them
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

sdy.mesh @two = <["x"=2]>
sdy.mesh @three = <["x"=3]>
// CHECK: error: 'func.func' op sharding of argument 0: it is for 2 devices, and the program runs on 3
func.func @meshes(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@two, [{"x"}]>}, %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@three, [{"x"}]>}) -> tensor<6xf32> {
  %0 = stablehlo.add %a, %b : tensor<6xf32>
  return %0 : tensor<6xf32>
}
