// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Element-wise operations: a function for each constraint of the specification, which violates it.

func.func @abs_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(abs_c1)}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @abs_c2(%a: tensor<2xcomplex<f64>>) {
  // expected-error@+1 {{(abs_c2)}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f64>>) -> tensor<2xf32>
  return
}

// -----

func.func @add_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(add_c1)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @and_c1(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{(and_c1)}}
  %0 = "stablehlo.and"(%a, %b) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @atan2_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(atan2_c1)}}
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @divide_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(divide_c1)}}
  %0 = "stablehlo.divide"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @maximum_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(maximum_c1)}}
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @minimum_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(minimum_c1)}}
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @multiply_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(multiply_c1)}}
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @or_c1(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{(or_c1)}}
  %0 = "stablehlo.or"(%a, %b) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @power_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(power_c1)}}
  %0 = "stablehlo.power"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @remainder_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(remainder_c1)}}
  %0 = "stablehlo.remainder"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shift_left_c1(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{(shift_left_c1)}}
  %0 = "stablehlo.shift_left"(%a, %b) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @shift_right_arithmetic_c1(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{(shift_right_arithmetic_c1)}}
  %0 = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @shift_right_logical_c1(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{(shift_right_logical_c1)}}
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @subtract_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(subtract_c1)}}
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @xor_c1(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{(xor_c1)}}
  %0 = "stablehlo.xor"(%a, %b) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @cbrt_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(cbrt_c1)}}
  %0 = "stablehlo.cbrt"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @ceil_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(ceil_c1)}}
  %0 = "stablehlo.ceil"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cosine_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(cosine_c1)}}
  %0 = "stablehlo.cosine"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @count_leading_zeros_c1(%a: tensor<2xi32>) {
  // expected-error@+1 {{(count_leading_zeros_c1)}}
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<2xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @exponential_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(exponential_c1)}}
  %0 = "stablehlo.exponential"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @exponential_minus_one_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(exponential_minus_one_c1)}}
  %0 = "stablehlo.exponential_minus_one"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @floor_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(floor_c1)}}
  %0 = "stablehlo.floor"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @log_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(log_c1)}}
  %0 = "stablehlo.log"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @log_plus_one_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(log_plus_one_c1)}}
  %0 = "stablehlo.log_plus_one"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @logistic_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(logistic_c1)}}
  %0 = "stablehlo.logistic"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @negate_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(negate_c1)}}
  %0 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @not_c1(%a: tensor<2xi32>) {
  // expected-error@+1 {{(not_c1)}}
  %0 = "stablehlo.not"(%a) : (tensor<2xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @popcnt_c1(%a: tensor<2xi32>) {
  // expected-error@+1 {{(popcnt_c1)}}
  %0 = "stablehlo.popcnt"(%a) : (tensor<2xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @round_nearest_afz_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(round_nearest_afz_c1)}}
  %0 = "stablehlo.round_nearest_afz"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @round_nearest_even_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(round_nearest_even_c1)}}
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @rsqrt_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(rsqrt_c1)}}
  %0 = "stablehlo.rsqrt"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sign_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(sign_c1)}}
  %0 = "stablehlo.sign"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sine_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(sine_c1)}}
  %0 = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sqrt_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(sqrt_c1)}}
  %0 = "stablehlo.sqrt"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @tan_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(tan_c1)}}
  %0 = "stablehlo.tan"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @tanh_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(tanh_c1)}}
  %0 = "stablehlo.tanh"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @add_c2(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2xf32>) {
  // expected-error@+1 {{(add_c2)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c3(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i4:f32, 1.0>>) {
  // expected-error@+1 {{(add_c3)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i4:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c4(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f16, 1.0>>) {
  // expected-error@+1 {{(add_c4)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f16, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c5(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{(add_c5)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @add_c6(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{(add_c6)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

func.func @add_c7(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error@+1 {{(add_c7)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @clamp_c1(%a: tensor<3xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{(clamp_c1)}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_c2(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{(clamp_c2)}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_c3(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf64>) {
  // expected-error@+1 {{(clamp_c3)}}
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(clamp_c4)}}
  %0 = "stablehlo.clamp"(%a, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @compare_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{(compare_c1)}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_c2(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(compare_c2)}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_c3(%a: tensor<2xi32>) {
  // expected-error@+1 {{(compare_c3)}}
  %0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @complex_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{(complex_c1)}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @complex_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(complex_c2)}}
  %0 = "stablehlo.complex"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @complex_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(complex_c3)}}
  %0 = "stablehlo.complex"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @convert_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(convert_c1)}}
  %0 = "stablehlo.convert"(%a) : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @imag_c1(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(imag_c1)}}
  %0 = "stablehlo.imag"(%a) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

func.func @imag_c2(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(imag_c2)}}
  %0 = "stablehlo.imag"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @real_c1(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(real_c1)}}
  %0 = "stablehlo.real"(%a) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

func.func @real_c2(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(real_c2)}}
  %0 = "stablehlo.real"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @is_finite_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(is_finite_c1)}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

func.func @map_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(map_c1)}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @map_c2(%s: tensor<f32>) {
  // expected-error@+1 {{(map_c2)}}
  %0 = "stablehlo.map"() ({
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : () -> tensor<2xf32>
  return
}

// -----

func.func @map_c3(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(map_c3)}}
  %0 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @map_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(map_c4)}}
  %0 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f64>):
    "stablehlo.return"(%x) : (tensor<f64>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @reduce_precision_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reduce_precision_c1)}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_precision_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reduce_precision_c2)}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 0 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_precision_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reduce_precision_c3)}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_c1(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error@+1 {{(select_c1)}}
  %0 = "stablehlo.select"(%p, %a, %a) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_c2(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{(select_c2)}}
  %0 = "stablehlo.select"(%p, %a, %b) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @uniform_dequantize_c1(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{(uniform_dequantize_c1)}}
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<3xf32>
  return
}

// -----

func.func @uniform_dequantize_c2(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{(uniform_dequantize_c2)}}
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2xf64>
  return
}

// -----

func.func @uniform_quantize_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(uniform_quantize_c1)}}
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @uniform_quantize_c2(%a: tensor<2xf64>) {
  // expected-error@+1 {{(uniform_quantize_c2)}}
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}
