// RUN: mapwright-opt %s --split-input-file --verify-diagnostics --indexing-lower
// A step that the region does not allow is an error there, and so is one that there is not.

func.func @no_emitter(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: there is no emitter 'fast' for this region}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<fast []>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_primitive(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has no such schedule: there is no primitive 'tiles'}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [tiles(d0, 4)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_loop(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'lanes(d1, 4)' names no loop: there are d0}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d1, 4)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @not_for_products(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'register_tile(64, 2)' does not fit: up to 16 rows and 8 vectors}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<contraction [register_tile(64, 2)]>} -> tensor<8x8xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @transposed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'transpose_blocks(d0)' is for a loop along which an operand is contiguous that the lanes stride over}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 8), transpose_blocks(d0)]>} -> tensor<8x8xf32> {
    %1 = stablehlo.negate %a : tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error @+1 {{expected ')'}}
func.func private @text() attributes {schedule = #indexing.schedule<tiled [tile(d0 4)]>}

// -----

func.func @no_result(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'stream(1)' names no result: there are 1}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), stream(1)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_bytes(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'stream(0, 64)' says from how many bytes on, which is for results of run-time size}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), stream(0, 64)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
