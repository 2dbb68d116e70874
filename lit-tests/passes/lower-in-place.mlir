// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s
// RUN: mapwright-opt %s --indexing-lower-in-place=threads=scf | FileCheck %s --check-prefix=SCF
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize)' | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=indexing. --implicit-check-not=stablehlo.
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place,one-shot-bufferize,canonicalize)' | FileCheck %s --check-prefix=INSIDE --implicit-check-not=indexing. --implicit-check-not=stablehlo.
// RUN: not mapwright-opt %s --indexing-lower-in-place=vector-bits=7 2>&1 | FileCheck %s --check-prefix=OPTION

// Names, types, attributes and visibility stay, and so do calls, with and without a body.
// CHECK: module @mine attributes {mine.key = 1 : i64}
// CHECK: func.func private @outside(tensor<8xf32>) attributes {mine.other}
// CHECK: func.func private @f(%[[X:.*]]: tensor<8xf32> {mine.argument}) -> tensor<8xf32> attributes {mine.function} {
// CHECK-NEXT: %[[R:.*]] = indexing.call_kernel @f_region_0 ins(%[[X]] : tensor<8xf32>) outs(%[[X]] : tensor<8xf32>) elementwise [0, 0] -> tensor<8xf32>
// CHECK-NEXT: call @outside(%[[R]])
// CHECK-NEXT: return %[[R]]
// CHECK: func.func @g
// CHECK: call @f
// CHECK: linalg.generic
// CHECK-NOT: stablehlo
// CHECK: func.func private @f_region_0_kernel(%{{[^:]*}}: !llvm.ptr
// CHECK: func.func private @f_region_0(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>)
// CHECK: call @f_region_0_kernel(

// Callers keep what they give: the result is elsewhere.
// SCF: func.func @large(%[[X:.*]]: tensor<512x512xf32>)
// SCF-NEXT: %[[E:.*]] = tensor.empty() : tensor<512x512xf32>
// SCF-NEXT: indexing.call_kernel @large_region_0 ins(%[[X]] : tensor<512x512xf32>) outs(%[[E]] : tensor<512x512xf32>) -> tensor<512x512xf32>
// SCF: func.func private @large_region_0(
// SCF: scf.parallel
// SCF: func.call @large_region_0_kernel
// SCF: scf.reduce

// The only user of %x: no other buffer is needed.
// BUFFERS: func.func private @f(%[[X:.*]]: memref<8xf32>
// BUFFERS-NEXT: call @f_region_0(%[[X]], %[[X]])

// INSIDE: func.func private @f(%{{.*}}: tensor<8xf32>
// INSIDE: bufferization.to_buffer
// INSIDE: call @f_region_0(

// OPTION: error: pass indexing-lower-in-place: option vector-bits must be 128, 256 or 512

module @mine attributes {mine.key = 1 : i64} {
  func.func private @outside(tensor<8xf32>) attributes {mine.other}
  func.func private @f(%x: tensor<8xf32> {mine.argument}) -> tensor<8xf32> attributes {mine.function} {
    %0 = stablehlo.add %x, %x : tensor<8xf32>
    %1 = stablehlo.negate %0 : tensor<8xf32>
    call @outside(%1) : (tensor<8xf32>) -> ()
    return %1 : tensor<8xf32>
  }
  func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
        ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.mulf %a, %a : f32
        linalg.yield %c : f32
    } -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func @large(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = stablehlo.exponential %x : tensor<512x512xf32>
    return %0 : tensor<512x512xf32>
  }
}
