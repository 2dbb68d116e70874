// RUN: mapwright compile %s -o %t.s --target-cpu x86-64-v3
// RUN: FileCheck %s < %t.s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// A machine without instructions for bf16 computes with shifts, not by calling functions that only the newest C libraries have.

// CHECK: _main:
// CHECK-NOT: truncsfbf2

// VALUES: dense<[1, 5, 127, 16256]> : tensor<4xi16>
func.func @main() -> tensor<4xi16> {
  %a = stablehlo.constant dense<[1, 5, 127, 3]> : tensor<4xi16>
  %b = stablehlo.constant dense<[0, -32765, 2, 16256]> : tensor<4xi16>
  %c, %d = stablehlo.optimization_barrier %a, %b : tensor<4xi16>, tensor<4xi16>
  %x = stablehlo.bitcast_convert %c : (tensor<4xi16>) -> tensor<4xbf16>
  %y = stablehlo.bitcast_convert %d : (tensor<4xi16>) -> tensor<4xbf16>
  %p, %q = stablehlo.optimization_barrier %x, %y : tensor<4xbf16>, tensor<4xbf16>
  %m = stablehlo.maximum %p, %q : tensor<4xbf16>
  %r = stablehlo.bitcast_convert %m : (tensor<4xbf16>) -> tensor<4xi16>
  return %r : tensor<4xi16>
}
