// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0" --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'stablehlo.cholesky' op has no rule of differentiation}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error@+1 {{argument 0 is no tensor of floating-point numbers of static shape}}
func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {
  return %x : tensor<4xi32>
}

// -----

// expected-error@+1 {{has no argument 0}}
func.func @f() {
  return
}

// -----

// expected-error@+1 {{has no function @f}}
module {
}

// -----

// expected-error@+1 {{is called too deeply, or calls itself}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
