// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse))' | FileCheck %s --check-prefix=FUSE
// RUN: mapwright-opt %s --indexing-refine-shapes=types='tensor<8xf32>' | FileCheck %s --check-prefix=REFINE
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-annotate,indexing-simplify)' | FileCheck %s --check-prefix=ANNOTATE
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-annotate,indexing-analyze{what=views},indexing-strip)' | FileCheck %s --check-prefix=ANALYZE --implicit-check-not=indexing.
// RUN: mapwright-opt %s --indexing-canonicalize --indexing-fold | FileCheck %s --check-prefix=ANALYZE

// Every pass takes a module in which StableHLO stands beside other dialects.

// FUSE: func.func private @outside
// FUSE: scf.for
// FUSE: scf.if
// FUSE-NEXT: indexing.fusion
// FUSE: stablehlo.multiply
// FUSE: stablehlo.negate
// FUSE: } else {
// FUSE-NEXT: indexing.fusion
// FUSE: linalg.generic

// Sizes go through loops and branches; what is neither StableHLO nor control flow sees the old types.
// REFINE: func.func @main(%[[X:.*]]: tensor<8xf32>
// REFINE: scf.for {{.*}} iter_args(%{{.*}} = %[[X]]) -> (tensor<8xf32>)
// REFINE: scf.if {{.*}} -> (tensor<8xf32>)
// REFINE: %[[Y:.*]] = stablehlo.exponential %[[X]] : tensor<8xf32>
// REFINE-NEXT: tensor.cast %[[Y]] : tensor<8xf32> to tensor<?xf32>
// REFINE: call @outside(%{{.*}}) : (tensor<?xf32>) -> ()

// ANNOTATE: stablehlo.multiply {{.*}}indexing.
// ANNOTATE: linalg.generic

// ANALYZE: scf.for
// ANALYZE: stablehlo.multiply
// ANALYZE: linalg.generic
func.func private @outside(tensor<?xf32>)
func.func @main(%x: tensor<?xf32>, %flag: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %b = scf.if %flag -> tensor<?xf32> {
      %0 = stablehlo.multiply %a, %a : tensor<?xf32>
      %1 = stablehlo.negate %0 : tensor<?xf32>
      scf.yield %1 : tensor<?xf32>
    } else {
      %0 = stablehlo.tanh %a : tensor<?xf32>
      scf.yield %0 : tensor<?xf32>
    }
    scf.yield %b : tensor<?xf32>
  }
  %y = stablehlo.exponential %x : tensor<?xf32>
  func.call @outside(%y) : (tensor<?xf32>) -> ()
  %1 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%r : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
