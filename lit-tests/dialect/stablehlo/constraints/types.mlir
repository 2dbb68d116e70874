// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Quantized types and constants: a function for each constraint of the specification, which violates it.

func.func @quantized_element_type_c1(%a: tensor<2x!quant.uniform<i32:f16, 1.0>>) {
  // expected-error@+1 {{wider than the expressed type}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i32:f16, 1.0>>
  return
}

// -----

// expected-error@+1 {{illegal storage type minimum: -200}}
func.func private @quantized_element_type_c2(tensor<2x!quant.uniform<i8<-200:100>:f32, 1.0>>)

// -----

// expected-error@+1 {{illegal storage type maximum: 200}}
func.func private @quantized_element_type_c3(tensor<2x!quant.uniform<i8<-100:200>:f32, 1.0>>)

// -----

// expected-error@+1 {{illegal storage min and storage max}}
func.func private @quantized_element_type_c4(tensor<2x!quant.uniform<i8<100:-100>:f32, 1.0>>)

// -----

// expected-error@+1 {{out of expressed type range}}
func.func private @quantized_element_type_c5(tensor<2x!quant.uniform<i8:f16, 1.0e+10>>)

// -----

// expected-error@+1 {{out of expressed type range}}
func.func private @quantized_element_type_c6(tensor<2x!quant.uniform<i8:f32, -1.0>>)

// -----

// expected-error@+1 {{scale INF out of expressed type range}}
func.func private @quantized_element_type_c7(tensor<2x!quant.uniform<i8:f32, 0x7FF0000000000000>>)

// -----

func.func @quantized_element_type_c8(%a: tensor<2x!quant.uniform<i8<-10:10>:f32, 1.0:50>>) {
  // expected-error@+1 {{has the zero point 50, which is not in [-10, 10]}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8<-10:10>:f32, 1.0:50>>
  return
}

// -----

// expected-error@+1 {{expected floating point literal}}
func.func private @quantized_element_type_c11(tensor<2x!quant.uniform<i8:f32, {1.0, 2.0}>>)

// -----

// expected-error@+1 {{illegal quantized dimension: -1}}
func.func private @quantized_element_type_c12(tensor<2x!quant.uniform<i8:f32:-1, {1.0, 2.0}>>)

// -----

func.func @quantized_tensor_type_c12(%a: tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error@+1 {{is quantized along dimension 1, which is not in [0, 1)}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

func.func @quantized_tensor_type_c13(%a: tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{must have one scale for each slice along dimension 0, has 2}}
  %0 = stablehlo.add %a, %a : tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @integer_constant_c1() {
  // expected-error@+1 {{integer constant out of range for type}}
  %0 = stablehlo.constant dense<300> : tensor<i8>
  return
}

// -----

func.func @float_constant_c1() {
  // expected-error@+1 {{expected floating point literal}}
  %0 = stablehlo.constant dense<true> : tensor<f32>
  return
}

// -----

func.func @complex_constant_c1() {
  // expected-error@+1 {{expected floating point literal}}
  %0 = stablehlo.constant dense<(true, 1.0)> : tensor<complex<f32>>
  return
}

// -----

func.func @complex_constant_c2() {
  // expected-error@+1 {{expected floating point literal}}
  %0 = stablehlo.constant dense<(1.0, true)> : tensor<complex<f32>>
  return
}

// -----

func.func @tensor_constant_c1() {
  // expected-error@+1 {{expected integer elements, but parsed floating-point}}
  %0 = stablehlo.constant dense<[1, 1.5]> : tensor<2xi32>
  return
}

// -----

func.func @tensor_constant_c2() {
  // expected-error@+1 {{inferred shape of elements literal ([3]) does not match type ([2])}}
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>
  return
}

// -----

func.func @quantized_tensor_constant_c1() {
  // expected-error@+1 {{(constant_c1)}}
  %0 = "stablehlo.constant"() {value = dense<3> : tensor<2xi16>} : () -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @quantized_tensor_constant_c2() {
  // expected-error@+1 {{(constant_c1)}}
  %0 = "stablehlo.constant"() {value = dense<3> : tensor<3xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}
