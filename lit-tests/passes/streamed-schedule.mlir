// RUN: mapwright-opt %s --indexing-fuse --indexing-lower=vector-bits=256 | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse{maps=false}),indexing-schedule{vector-bits=256})' | FileCheck %s --check-prefix=CHOSEN
// RUN: mapwright run %s --entry small | FileCheck %s --check-prefix=VALUES
// A result is stored past the caches where its schedule says so: a small one for which the cost model would not choose it, and not a large one
// whose stated schedule does not say it.

// CHECK-LABEL: func.func private @region_{{[0-9]+}}(%{{.*}}: memref<8388608x8xf32>
// CHECK: vector.store {{.*}}nontemporal
// CHECK-LABEL: func.func private @region_{{[0-9]+}}(%{{.*}}: memref<67108864xf32>
// CHECK-NOT: nontemporal
// CHECK-LABEL: func.func private @region_{{[0-9]+}}(%{{[a-z0-9]+}}: memref<64xf32> {{.*}}memref<64xf32>
// CHECK: vector.store {{.*}}nontemporal
// CHOSEN-LABEL: @chosen
// CHOSEN: schedule = #indexing.schedule<tiled [{{.*}}, stream(0)]>
// VALUES: dense<[-0.0, -1.0, -2.0, {{.*}}, -61.0, -62.0, -63.0]>
func.func @small() -> tensor<64xf32> {
  %x = stablehlo.iota dim = 0 : tensor<64xf32>
  %0 = indexing.fusion(%a = %x : tensor<64xf32>)
      attributes {schedule = #indexing.schedule<tiled [lanes(d0, 8), stream(0)]>} -> tensor<64xf32> {
    %1 = stablehlo.negate %a : tensor<64xf32>
    indexing.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

func.func @large(%x: tensor<67108864xf32>) -> tensor<67108864xf32> {
  %0 = indexing.fusion(%a = %x : tensor<67108864xf32>)
      attributes {schedule = #indexing.schedule<tiled [tile(d0, 8192), lanes(d0, 8)]>} -> tensor<67108864xf32> {
    %1 = stablehlo.negate %a : tensor<67108864xf32>
    indexing.yield %1 : tensor<67108864xf32>
  }
  return %0 : tensor<67108864xf32>
}

func.func @chosen(%x: tensor<8388608x8xf32>) -> tensor<8388608x8xf32> {
  %0 = stablehlo.negate %x : tensor<8388608x8xf32>
  return %0 : tensor<8388608x8xf32>
}
