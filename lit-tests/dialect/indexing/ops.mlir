// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// CHECK-DAG: #[[BACK:indexing_map[0-9]*]] = #indexing.map<(d0) -> (-d0 + 7), domain: d0 in [0, 7]>
// CHECK-DAG: #[[PLACE:indexing_map[0-9]*]] = #indexing.map<(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31]>

// CHECK-LABEL: func.func @fusion
func.func @fusion(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK:      %0 = indexing.fusion(%[[A:.*]] = %arg0 : tensor<8xf32>, %[[B:.*]] = %arg1 : tensor<8xf32>) attributes {kind = "streaming", reasons = ["same domain"]} -> tensor<8xf32> {
  // CHECK-NEXT:   %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<8xf32>
  // CHECK-NEXT:   indexing.yield %[[SUM]] : tensor<8xf32>
  // CHECK-NEXT: }
  %r = indexing.fusion(%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>) attributes {kind = "streaming", reasons = ["same domain"]} -> tensor<8xf32> {
    %0 = stablehlo.add %a, %b : tensor<8xf32>
    indexing.yield %0 : tensor<8xf32>
  }
  // CHECK: %{{.*}}:2 = indexing.fusion() -> (tensor<2xi32>, tensor<2xi32>) {
  %s:2 = indexing.fusion() -> (tensor<2xi32>, tensor<2xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<2xi32>
    indexing.yield %0, %0 : tensor<2xi32>, tensor<2xi32>
  }
  // CHECK: indexing.fusion(%{{.*}} = %arg0 : tensor<8xf32>) attributes {maps = {{\[\[\[}}#[[BACK]], "unknown: why"]{{\]\]}}} -> tensor<8xf32> {
  %m = indexing.fusion(%a = %x : tensor<8xf32>) attributes {maps = [[[#indexing.map<(d0) -> (-d0 + 7), domain: d0 in [0, 7]>, "unknown: why"]]]} -> tensor<8xf32> {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
    indexing.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func private @kernel(memref<8xf32>, index, index)

// CHECK-LABEL: func.func @launch
func.func @launch(%a: memref<8xf32>, %n: index) {
  // CHECK: indexing.launch @kernel(%arg0 : memref<8xf32>) tiles(%arg1)
  indexing.launch @kernel(%a : memref<8xf32>) tiles(%n)
  // CHECK: %{{.*}}:2 = indexing.apply #[[PLACE]](%arg1) : index, index
  %0:2 = indexing.apply #indexing.map<(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31]>(%n) : index, index
  return
}
