// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize,func.func(indexing-fuse),indexing-lower{threads=1})' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-normalize,func.func(indexing-fuse),indexing-lower{threads=1 disable=simplified-maps})' | FileCheck %s --check-prefix=WITHOUT
// RUN: mapwright run %s --entry values | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --entry values --disable simplified-maps | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --entry values --interpret | FileCheck %s --check-prefix=VALUES

// Reshapes whose sizes do not divide each other: the composed map has a digit in a digit, which the simplifier takes apart. Lanes read at one distance
// then, behind an address with a quotient and a remainder, once for whole vectors and once for the end of a line. As it is composed, all digits are
// of one number, and the offset of an element puts them together again.

// CHECK: func.func private @region_0
// CHECK-COUNT-2: arith.{{div|rem}}ui
// CHECK-NOT: arith.{{div|rem}}ui
// CHECK: vector.gather
// CHECK-COUNT-2: arith.{{div|rem}}ui
// CHECK-NOT: arith.{{div|rem}}ui
// CHECK: vector.gather
// CHECK-NOT: arith.{{div|rem}}ui
// CHECK: return
// WITHOUT: func.func private @region_0
// WITHOUT-COUNT-16: vector.load
func.func public @main(%x: tensor<5x12x12xi32>) -> tensor<30x24xi32> {
  %a = stablehlo.reshape %x : (tensor<5x12x12xi32>) -> tensor<18x10x4xi32>
  %b = stablehlo.reshape %a : (tensor<18x10x4xi32>) -> tensor<24x30xi32>
  %r = stablehlo.transpose %b, dims = [1, 0] : (tensor<24x30xi32>) -> tensor<30x24xi32>
  return %r : tensor<30x24xi32>
}

// Reshapes keep the order of elements: row r and column c of the result are element 30 * c + r.
// VALUES: dense<{{\[\[}}0, 30, 60, …, 630, 660, 690], [1, 31, 61, …, 631, 661, 691], [2, 32, 62, …, 632, 662, 692], …, [27, 57, 87, …, 657, 687, 717], [28, 58, 88, …, 658, 688, 718], [29, 59, 89, …, 659, 689, 719]]> : tensor<30x24xi32>
func.func public @values() -> tensor<30x24xi32> {
  %i = stablehlo.iota dim = 0 : tensor<720xi32>
  %x = stablehlo.reshape %i : (tensor<720xi32>) -> tensor<5x12x12xi32>
  %kept = stablehlo.optimization_barrier %x : tensor<5x12x12xi32>
  %r = call @main(%kept) : (tensor<5x12x12xi32>) -> tensor<30x24xi32>
  return %r : tensor<30x24xi32>
}
