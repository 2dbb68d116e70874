// RUN: mapwright-opt %s -split-input-file -verify-diagnostics

// Everything that computes with shapes relies on 64 bits for the number of elements, that of a tensor without elements too: the product
// of the sizes that are not zero.

func.func @argument(%a: tensor<0x4294967296x4294967296xf32>, %b: tensor<0xf32>) -> tensor<0xf32> {
  // expected-error@+1 {{operand #0 has more elements than 64 bits can count: 'tensor<0x4294967296x4294967296xf32>'}}
  %0 = stablehlo.reshape %a : (tensor<0x4294967296x4294967296xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @result(%a: tensor<0xf32>) -> tensor<0x4294967296x4294967296xf32> {
  // expected-error@+1 {{result #0 has more elements than 64 bits can count: 'tensor<0x4294967296x4294967296xf32>'}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<0xf32>) -> tensor<0x4294967296x4294967296xf32>
  return %0 : tensor<0x4294967296x4294967296xf32>
}
