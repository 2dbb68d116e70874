// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0" --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' op has no rule of differentiation: it is not known what @mystery computes}}
  %0 = stablehlo.custom_call @mystery(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%x: tensor<f32>, %n: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // expected-error@+1 {{'stablehlo.while' op has no rule of differentiation: the number of its iterations does not follow from what is known before, nor does a bound of it}}
  %w:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<f32>
  cond {
    %c = stablehlo.compare LT, %s, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.sine %s : tensor<f32>
    stablehlo.return %k, %t : tensor<i32>, tensor<f32>
  }
  return %w#1 : tensor<f32>
}

// -----

// A value that a loop carries, and that is longer after each iteration.
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  // expected-error@+1 {{has no rule of differentiation where sizes are known at run time only: sizes that iterations or branches have of their own}}
  %w:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %i, %one : tensor<i32>
    %0 = stablehlo.multiply %s, %s : tensor<?xf32>
    %t = stablehlo.concatenate %0, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %k, %t : tensor<i32>, tensor<?xf32>
  }
  return %w#1 : tensor<?xf32>
}

// -----

// expected-error@+1 {{argument 0 is no tensor of floating-point numbers}}
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

// -----

func.func @f(%x: tensor<4x3xf64>) -> tensor<4x4xf64> {
  // expected-error@+1 {{has no rule of differentiation: of more singular vectors than singular values}}
  %f, %s, %u, %v, %info = stablehlo.custom_call @lapack_dgesdd_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {mode = 65 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<4x4xf64>, tensor<3x3xf64>, tensor<i32>)
  return %u : tensor<4x4xf64>
}

// -----

func.func @f(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {
  // expected-error@+1 {{has no rule of differentiation: of a matrix with more columns than rows}}
  %f, %g = stablehlo.custom_call @lapack_dgeqrf_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3xf64>)
  return %f : tensor<3x4xf64>
}

// -----

func.func @f(%x: tensor<4x3xf64>, %g: tensor<3xf64>) -> tensor<4x3xf64> {
  // expected-error@+1 {{has no rule of differentiation: its operands are no reflections of a factorisation beside it}}
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%x, %g) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4x3xf64>
  return %q : tensor<4x3xf64>
}

// -----

func.func @f(%x: tensor<3x3xf64>) -> tensor<3xf64> {
  // expected-error@+1 {{has no rule of differentiation}}
  %f, %g = stablehlo.custom_call @lapack_dgeqrf_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
  return %g : tensor<3xf64>
}
