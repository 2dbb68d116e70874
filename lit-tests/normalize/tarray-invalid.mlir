// RUN: mapwright-opt %s --indexing-legalize-tarray --split-input-file --verify-diagnostics

func.func @quantized(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x1x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{is not done for quantized elements}}
  %y = tarray.unsqueeze %x dim = 1 : tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %y : tensor<4x1x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @within_itself(%x: !tarray.array<tensor<f32>, max = 3>) -> !tarray.array<tensor<f32>, max = 3> {
  %y = tarray.vectorize @g(%x) : !tarray.array<tensor<f32>, max = 3> -> !tarray.array<tensor<f32>, max = 3>
  return %y : !tarray.array<tensor<f32>, max = 3>
}
func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %v = tarray.reshape %x to (1) : tensor<f32>
  // expected-error@+1 {{is nested too deeply, or applies a function within itself}}
  %w = tarray.vectorize @g(%v) : tensor<1xf32> -> tensor<1xf32>
  %y = tarray.reshape %w to () : tensor<1xf32>
  return %y : tensor<f32>
}

// -----

func.func @other_operation(%x: !tarray.array<tensor<f32>, max = 3>) {
  // expected-error@+1 {{is not defined for a TensorArray or a TensorShape}}
  %y = builtin.unrealized_conversion_cast %x : !tarray.array<tensor<f32>, max = 3> to tensor<3xf32>
  return
}
