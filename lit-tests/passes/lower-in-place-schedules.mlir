// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=KEEP
// RUN: mapwright-opt %s --indexing-lower-in-place=schedules=keep | FileCheck %s --check-prefix=KEEP
// RUN: mapwright-opt %s --indexing-lower-in-place=schedules=choose | FileCheck %s --check-prefix=CHOOSE
// Regions that are there become kernels as they are, or what is in them is put into regions anew.
// KEEP-COUNT-2: indexing.call_kernel
// KEEP-NOT: indexing.call_kernel
// CHOOSE-COUNT-1: indexing.call_kernel
// CHOOSE-NOT: indexing.call_kernel
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  %2 = stablehlo.negate %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
