// RUN: mapwright maps %s --compose | FileCheck %s
// RUN: mapwright maps %s --compose --json | FileCheck %s --check-prefix=JSON
// RUN: mapwright maps %s --compose --direction both | FileCheck %s --check-prefix=BOTH
// RUN: mapwright analyze %s --what tiles | FileCheck %s --check-prefix=TILES

// torch.nonzero in legacy MHLO: the positions of the non-zero elements of a vector of 6, as many rows as there are.

// The sort is decided by its first operand, of which it reads the whole line; the operands that it carries along go into their own result.
// CHECK: mhlo.sort
// CHECK: result 1 -> operand 0
// CHECK-NEXT: (d0)[s0] -> (s0), domain: d0 in [0, 5], s0 in [0, 5]
// CHECK: result 1 -> operand 2
// CHECK-NEXT: KNOWN EMPTY
// The elements below the count are there: the bound is the range of d0, the count a runtime variable.
// CHECK: mhlo.set_dimension_size
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 1], rt0 in [1, 6], d0 - rt0 in [-6, -1]; rt0 = %17[
// The shape of the result while the program runs, and the result with respect to the argument, through the tuple.
// CHECK: result 0 has the run-time shape [%17, 2] within [6,2]
// CHECK-NEXT: result 0 -> argument 0
// CHECK-NEXT: (d0, d1)[s0]{rt0} -> (0, s0), domain: d0 in [0, 5], d1 in [0, 1], s0 in [0, 5], rt0 in [1, 6], d0 - rt0 in [-6, -1]; rt0 = %17[
// CHECK-NOT: result

// JSON: "run_time_shapes":[{"result":0,"shape":["%17",2],"bounds":[6,2]}]
// A count of 0 is read as it is: that nothing is there then is in the domain, not in the clamp.
// JSON-SAME: "composed":[{"result":0,"argument":0,"maps":[{"text":"(d0, d1)[s0]{rt0} -> (0, s0),{{.*}}rt0 in [1, 6]{{.*}}"value":"%17"{{.*}}"clamp":[0,6]}]

// BOTH: argument 0 -> result 0

// The tile of the concatenation is cut where the count ends.
// TILES: mhlo.set_dimension_size
// TILES: mhlo.concatenate
// TILES-NEXT: value %12, offsets ["o0","o1"], sizes ["-o0 + min(o0 + t0, rt0)","t1"]
// TILES-SAME: "value":"%17"
module @SyncTensorsGraph.40 {
func.func @main(%arg0: tensor<1x6xi64>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>> {
%0 = mhlo.constant dense<0> : tensor<i64>
%1 = "mhlo.broadcast_in_dim"(%0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i64>) -> tensor<1x6xi64>
%2 = mhlo.compare NE, %arg0, %1 : (tensor<1x6xi64>, tensor<1x6xi64>) -> tensor<1x6xi1>
%3 = mhlo.convert(%2) : (tensor<1x6xi1>) -> tensor<1x6xi32>
%4 = mhlo.reshape %3 : (tensor<1x6xi32>) -> tensor<6xi32>
%5 = "mhlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<1x6xi32>
%6 = mhlo.reshape %5 : (tensor<1x6xi32>) -> tensor<6xi32>
%7 = "mhlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<1x6xi32>
%8 = mhlo.reshape %7 : (tensor<1x6xi32>) -> tensor<6xi32>
%9:3 = "mhlo.sort"(%4, %6, %8) ({
^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
%20 = mhlo.constant dense<true> : tensor<i1>
%21 = mhlo.compare GT, %arg1, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
%22 = "mhlo.select"(%20, %21, %20) : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
mhlo.return %22 : tensor<i1>
}) {dimension = 0 : i64, is_stable = true} : (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>)
%10 = mhlo.reshape %9#1 : (tensor<6xi32>) -> tensor<6x1xi32>
%11 = mhlo.reshape %9#2 : (tensor<6xi32>) -> tensor<6x1xi32>
%12 = "mhlo.concatenate"(%10, %11) {dimension = 1 : i64} : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
%13 = mhlo.constant dense<0> : tensor<i32>
%14 = "mhlo.broadcast_in_dim"(%13) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i32>) -> tensor<6xi32>
%15 = mhlo.compare GT, %4, %14 : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
%16 = mhlo.convert(%15) : (tensor<6xi1>) -> tensor<6xi32>
%17 = mhlo.reduce(%16 init: %13) across dimensions = [0] : (tensor<6xi32>, tensor<i32>) -> tensor<i32>
reducer(%arg1: tensor<i32>, %arg2: tensor<i32>) {
%20 = mhlo.add %arg1, %arg2 : tensor<i32>
mhlo.return %20 : tensor<i32>
}
%18 = "mhlo.set_dimension_size"(%12, %17) {dimension = 0 : i64} : (tensor<6x2xi32>, tensor<i32>) -> tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>
%19 = "mhlo.tuple"(%18) {xla_shape = "(s32[<=6,2]{1,0})"} : (tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>) -> tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
return %19 : tuple<tensor<?x2xi32, #mhlo.type_extensions<bounds = [6, -1]>>>
}
}
