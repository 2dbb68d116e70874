// RUN: mapwright-opt %s --indexing-legalize-tarray | FileCheck %s

// Sizes that are computed are operations on the sizes that they are made of, and what is known stays known.

// CHECK-LABEL: func.func @cut
// CHECK: %[[N:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: %[[SIZE:.*]] = stablehlo.convert %[[N]]
// CHECK: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<i64>
// CHECK: stablehlo.divide %[[SIZE]], %[[TWO]]
// CHECK: stablehlo.dynamic_reshape %arg0, {{.*}} -> tensor<2x?x8xf32>
func.func @cut(%x: tensor<?x8xf32>) -> !tarray.array<tensor<?x8xf32>, max = 2> {
  %0 = tarray.chunks %x n = 2 dim = 0 : tensor<?x8xf32>
  return %0 : !tarray.array<tensor<?x8xf32>, max = 2>
}

// A range of known numbers must be inside of what there turns out to be.
// CHECK-LABEL: func.func @range
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.custom_call @shape_assertion({{.*}}) {error_message = "the range of a slice ends at {1}, behind the size {0}, at loc({{.*}})"
// CHECK: stablehlo.real_dynamic_slice %arg0, {{.*}} -> tensor<4x8xf32>
func.func @range(%x: tensor<?x8xf32>) -> tensor<4x8xf32> {
  %0 = tarray.slice %x [0 : 1 : 4] dim = 0 : tensor<?x8xf32>
  return %0 : tensor<4x8xf32>
}

// Of a table whose rows are known no row of zeros is needed.
// CHECK-LABEL: func.func @embedding
// CHECK-NOT: concatenate
// CHECK: "stablehlo.gather"(%arg1, %arg0)
// CHECK-SAME: (tensor<100x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
func.func @embedding(%x: tensor<?xi64>, %table: tensor<100x8xf32>) -> tensor<?x8xf32> {
  %0 = tarray.embedding %x in %table dim = 0 : tensor<?xi64>, tensor<100x8xf32>
  return %0 : tensor<?x8xf32>
}

// A bound stays on the type that the program has for a result.
// CHECK-LABEL: func.func @bounded
// CHECK: %[[T:.*]] = stablehlo.dynamic_reshape %arg0, {{.*}} -> tensor<?x1x8xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[T]] : tensor<?x1x8xf32> to tensor<?x1x8xf32, #stablehlo.bounds<6, ?, ?>>
// CHECK: return %[[C]]
func.func @bounded(%x: tensor<?x8xf32, #stablehlo.bounds<6, ?>>) -> tensor<?x1x8xf32, #stablehlo.bounds<6, ?, ?>> {
  %0 = tarray.unsqueeze %x dim = 1 : tensor<?x8xf32, #stablehlo.bounds<6, ?>>
  return %0 : tensor<?x1x8xf32, #stablehlo.bounds<6, ?, ?>>
}
