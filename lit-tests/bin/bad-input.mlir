// Wrong programs are diagnosed at their place; nothing crashes.
// RUN: mapwright-opt %s --split-input-file --verify-diagnostics --indexing-annotate

// expected-error @+1 {{custom op 'nonsense' is unknown}}
nonsense

// -----

func.func @unknown_operation(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.no_such_operation}}
  %0 = "stablehlo.no_such_operation"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @type_error(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{stablehlo.transpose}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{expected}}
func.func private @wrong_map() attributes {indexing.m = #indexing.map<(d0) -> (d1)>}
