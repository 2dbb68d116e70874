// REQUIRES: sdy
// RUN: not mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=hlo})' 2>&1 | FileCheck %s

// CHECK: refused-shardy.mlir:[[@LINE+3]]:1: error: 'func.func' op 'sdy.sharding': argument 0: the mesh has no axis "z" (there is x)
sdy.mesh @mesh = <["x"=2]>

func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) { return }
