// Quantized and complex values, numbers of 4 bits, booleans and tuples: numbers that are stored are those of the program.
// RUN: mapwright reduce %s --if 'grep -q stablehlo.uniform_dequantize' -o - | FileCheck %s --check-prefix=QUANTIZED
// RUN: mapwright reduce %s --if 'grep -q stablehlo.real' -o - | FileCheck %s --check-prefix=COMPLEX
// RUN: mapwright reduce %s --if 'grep -q "stablehlo.add.*i4"' -o - | FileCheck %s --check-prefix=NARROW
// RUN: mapwright reduce %s --if 'grep -q stablehlo.get_tuple_element' -o - | FileCheck %s --check-prefix=TUPLE
// RUN: mapwright reduce %s --if 'grep -q "constant dense<.true, false"' -o - | FileCheck %s --check-prefix=BOOLEANS

// QUANTIZED: stablehlo.constant() <{value = dense<2> : tensor<1xi8>}>
// QUANTIZED-NEXT: stablehlo.uniform_dequantize %cst : (tensor<1x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<1xf32>
// COMPLEX:   stablehlo.real %arg0 : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
// NARROW:    stablehlo.constant dense<1> : tensor<1xi4>
// NARROW-NEXT: stablehlo.add %arg0, %c : tensor<1xi4>
// TUPLE:     stablehlo.get_tuple_element %arg0[{{[01]}}]
// BOOLEANS:  stablehlo.constant dense<[true, false]> : tensor<2xi1>
func.func @main(%z: tensor<6xcomplex<f32>>, %n: tensor<6xi4>, %t: tuple<tensor<6xf32>, tensor<6xi4>>) -> (tensor<6xf32>, tensor<6xi4>, tensor<6xf32>, tensor<6xi1>) {
  %q = stablehlo.constant() {value = dense<[2, 4, 6, 8, 10, 12]> : tensor<6xi8>} : () -> tensor<6x!quant.uniform<i8:f32, 0.5>>
  %0 = stablehlo.uniform_dequantize %q : (tensor<6x!quant.uniform<i8:f32, 0.5>>) -> tensor<6xf32>
  %1 = stablehlo.real %z : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
  %2 = stablehlo.add %0, %1 : tensor<6xf32>
  %c = stablehlo.constant dense<[1, -2, 3, -4, 5, -6]> : tensor<6xi4>
  %3 = stablehlo.add %n, %c : tensor<6xi4>
  %4 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<6xf32>, tensor<6xi4>>) -> tensor<6xf32>
  %b = stablehlo.constant dense<[true, false, true, true, false, true]> : tensor<6xi1>
  %5 = stablehlo.not %b : tensor<6xi1>
  return %2, %3, %4, %5 : tensor<6xf32>, tensor<6xi4>, tensor<6xf32>, tensor<6xi1>
}
