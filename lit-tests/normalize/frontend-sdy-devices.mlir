// RUN: not mapwright run %s 2>&1 | FileCheck %s
// RUN: not mapwright run %s --interpret 2>&1 | FileCheck %s
// RUN: mapwright maps %s | FileCheck %s --check-prefix=MAPS

// What is written for one of several devices is no program of one: that is said.

sdy.mesh @mesh = <["x"=2]>

// CHECK: is the program of one of several devices
// MAPS: func @main
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<1xf32>) {
    %1 = stablehlo.add %b, %b : tensor<1xf32>
    sdy.return %1 : tensor<1xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
