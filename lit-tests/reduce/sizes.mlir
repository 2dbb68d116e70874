// Sizes become smaller together with what follows from them: limits of slices, padding, products of sizes, shapes in constants.
// RUN: mapwright reduce %s --if 'grep -q "stablehlo.reshape.*xf32>"' -o %t && FileCheck %s --check-prefix=STATIC < %t
// RUN: mapwright maps %t

// STATIC: stablehlo.reshape {{.*}} : (tensor<1x1xf32>) -> tensor<1xf32>

// A size that is known at run time only stays, and the shape that it is in becomes smaller around it.
// RUN: mapwright reduce %s --if 'grep -q stablehlo.dynamic_broadcast_in_dim' -o - | FileCheck %s --check-prefix=DYNAMIC --implicit-check-not=64
// DYNAMIC: stablehlo.dynamic_broadcast_in_dim {{.*}} -> tensor<?x1xf32>

// Where the command wants elements of another place than the first, the size stays as large as that needs.
// RUN: mapwright reduce %s --if 'grep -q "stablehlo.slice.*12:[1-9]*[3-9]"' -o %t.slice && FileCheck %s --check-prefix=SLICE < %t.slice
// RUN: mapwright maps %t.slice
// SLICE: stablehlo.slice %arg0 [0:1, 12:13]
func.func @main(%x: tensor<24x64xf32>, %n: tensor<?x5xf32>, %w: tensor<64xf32>) -> (tensor<768xf32>, tensor<?x64xf32>) {
  %0 = stablehlo.slice %x [0:24, 12:44] : (tensor<24x64xf32>) -> tensor<24x32xf32>
  %1 = stablehlo.reshape %0 : (tensor<24x32xf32>) -> tensor<768xf32>
  %rows = stablehlo.get_dimension_size %n, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
  %row = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %columns = stablehlo.constant dense<64> : tensor<1xi32>
  %shape = stablehlo.concatenate %row, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %w, %shape, dims = [1] : (tensor<64xf32>, tensor<2xi32>) -> tensor<?x64xf32>
  return %1, %2 : tensor<768xf32>, tensor<?x64xf32>
}
