// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-strip)' | FileCheck %s
// RUN: mapwright-opt %s --indexing-strip | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-strip))' | FileCheck %s

// What `indexing-annotate` attached goes, everything else stays.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    arith.addf %{{.*}}, %{{.*}} {other} : f32
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a {indexing.output_to_input = [], indexing.input_to_output = [], other} : f32
  return %0 : f32
}
