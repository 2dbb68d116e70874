// RUN: mapwright compile %s -o %t.o --header %t.h
// RUN: FileCheck %s --input-file %t.h
// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s --check-prefix=IR

// Names of sizes, one of which a call gives that is inlined before they are asked for.

// CHECK: tensor<?x?xf32> of sizes [batch, argument_sizes[1]]
// CHECK: tensor<?x?xf32> of sizes [batch, argument_sizes[1] / 2]
// IR-LABEL: func.func public @main
// IR-NOT: = call @
// IR: return
func.func public @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %half, %odd = call @halves(%m, %two) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %some = stablehlo.compare GE, %half, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n, %half) {api_version = 2 : i32, error_message = "Expected value >= 2. Obtained 'batch' = {0}, 'half' = {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = call @inner(%n, %half, %x) : (tensor<i32>, tensor<i32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @half(%m: tensor<i32>, %two: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.divide %m, %two : tensor<i32>
  return %0 : tensor<i32>
}

func.func private @halves(%m: tensor<i32>, %two: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = call @half(%m, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = stablehlo.remainder %m, %two : tensor<i32>
  return %0, %1 : tensor<i32>, tensor<i32>
}

func.func private @inner(%n: tensor<i32> {jax.global_constant = "batch"}, %half: tensor<i32> {jax.global_constant = "half"}, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
