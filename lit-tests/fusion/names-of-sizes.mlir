// The plan and the maps call sizes by the names that the program has for them.
// RUN: mapwright fusion %s | FileCheck %s
// RUN: mapwright fusion %s --json | FileCheck %s --check-prefix=JSON
// RUN: mapwright maps %s | FileCheck %s --check-prefix=MAPS
// RUN: mapwright-opt %s --indexing-annotate | FileCheck %s --check-prefix=ATTRIBUTE

// CHECK: reads 4 + 64 * batch + 4 * dim(%arg1, 0) bytes, writes 4 * (16 * batch + dim(%arg1, 0)) bytes
// CHECK: a2 = %arg1 : tensor<?xf32> of sizes [dim(%arg1, 0)]
// CHECK: out %{{[0-9]+}} : tensor<?xf32> of sizes [16 * batch + dim(%arg1, 0)]
// CHECK: reads 64 * batch bytes, writes 64 * batch bytes
// CHECK: in  a0 = %arg0 : tensor<?x16xf32> of sizes [batch, 16]
// JSON: "type":"tensor<?x16xf32>","sizes":["batch","16"]
// MAPS: stablehlo.tanh
// MAPS: (d0, d1){batch} -> (d0, d1), domain: d0 in [0, inf], d1 in [0, 15], batch in [0, inf], d0 - batch in [-inf, -1]; batch = get_dimension_size(%arg0, 0)[]
// ATTRIBUTE: #indexing.map<(d0, d1){batch} -> (d0, d1), domain: d0 in [0, inf], d1 in [0, 15], batch in [0, inf], d0 - batch in [-inf, -1]>
func.func public @main(%x: tensor<?x16xf32>, %y: tensor<?xf32>) -> (tensor<?x16xf32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x16xf32>) -> tensor<i32>
  %r:2 = call @inner(%n, %x, %y) : (tensor<i32>, tensor<?x16xf32>, tensor<?xf32>) -> (tensor<?x16xf32>, tensor<?xf32>)
  %0 = stablehlo.tanh %x : tensor<?x16xf32>
  %1 = stablehlo.sine %r#0 : tensor<?x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<?x16xf32>
  return %2, %r#1 : tensor<?x16xf32>, tensor<?xf32>
}

func.func private @inner(%n: tensor<i32> {jax.global_constant = "batch"}, %x: tensor<?x16xf32>, %y: tensor<?xf32>) -> (tensor<?x16xf32>, tensor<?xf32>) {
  %0 = stablehlo.cosine %x : tensor<?x16xf32>
  %one = stablehlo.constant dense<16> : tensor<i32>
  %count = stablehlo.multiply %n, %one : tensor<i32>
  %shape = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %x, %shape : (tensor<?x16xf32>, tensor<1xi32>) -> tensor<?xf32>
  %all = stablehlo.concatenate %flat, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %all : tensor<?x16xf32>, tensor<?xf32>
}

// A name that is none of a variable is not one in maps.
// MAPS-LABEL: func @keyword
// MAPS: (d0){rt0} -> (d0), domain: d0 in [0, inf], rt0 in [0, inf], d0 - rt0 in [-inf, -1]; rt0 = get_dimension_size(%arg0, 0)[]
func.func public @keyword(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  call @named(%n) : (tensor<i32>) -> ()
  %0 = stablehlo.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @named(%n: tensor<i32> {jax.global_constant = "mod"}) {
  return
}
