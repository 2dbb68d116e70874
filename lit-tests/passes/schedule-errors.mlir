// RUN: mapwright-opt %s --split-input-file --verify-diagnostics --indexing-lower
// A step that the region does not allow is an error there, and so is one that there is not.

func.func @no_emitter(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: there is no emitter 'fast' for this region: there are contraction, tiled, general}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<fast []>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_primitive(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has no such schedule: there is no step 'tiles': the emitter 'tiled' has tile, lanes, unroll}}
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

func.func @step_of_products(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'pack(n)' is no step of the emitter 'tiled'}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), pack(n)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @step_of_none(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'tile(d0, 4)' is no step of the emitter 'general'}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<general [tile(d0, 4)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
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

// -----

func.func @no_row(%x: tensor<8x64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'accumulators(v1, 2)' is for reductions along the lanes}}
  %0 = indexing.fusion(%a = %x : tensor<8x64xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 8), accumulators(v1, 2)]>} -> tensor<64xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x64xf32>, tensor<f32>) -> tensor<64xf32>
    indexing.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

func.func @no_reduction(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'accumulators(v0, 2)' names no reduction of the region at such an index}}
  %0 = indexing.fusion(%a = %x : tensor<8x64xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(8), accumulators(v0, 2)]>} -> tensor<8xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_columns(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'combine_rows(v1, 2)' is for reductions of columns that a step 'column_block' is about}}
  %0 = indexing.fusion(%a = %x : tensor<8x64xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(8), combine_rows(v1, 2)]>} -> tensor<8xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_prefetch(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'prefetch(a0, 8)' is for rows of columns that lanes run across, and for transposed blocks}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), prefetch(a0, 8)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_peel(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'peel(d0, 8)' is for the loop of the lanes, from which results are streamed}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), peel(d0, 8)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_constant_divisor(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'reciprocal_of_constants()' is for regions that divide by a constant, with quotients in range}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), reciprocal_of_constants()]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @nothing_follows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'unroll_epilogue(4)' is for products in register tiles that something follows}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<contraction [register_tile(2, 1), unroll_epilogue(4)]>} -> tensor<8x8xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @no_panel(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'prefetch_panel()' is for panels of static size, which a step 'pack(n)' makes}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<contraction [register_tile(2, 1), prefetch_panel()]>} -> tensor<8x8xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @no_columns_in_place(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'prefetch_columns(2)' is for columns that are read where they lie, along one contracted loop}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<contraction [register_tile(2, 1), pack(n), prefetch_columns(2)]>} -> tensor<8x8xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @no_panels(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'prefetch_columns(0)' is for 1 to 1024 panels}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<contraction [register_tile(2, 1), prefetch_columns(0)]>} -> tensor<8x8xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @not_constant(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'pack_once(n)' is for constants}}
  %0 = indexing.fusion(%a = %x : tensor<8x8xf32>) attributes {schedule = #indexing.schedule<contraction [register_tile(2, 1), pack_once(n)]>} -> tensor<8x8xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    indexing.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @no_rows_of_a_chain(%arg0: tensor<65x16xf32>, %arg1: tensor<70x16xf32>, %arg2: tensor<70x24xf32>) -> tensor<65x24xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'tile(m, 0)' wants at least one index}}
  %0 = indexing.fusion(%arg3 = %arg1 : tensor<70x16xf32>, %arg4 = %arg0 : tensor<65x16xf32>, %arg5 = %arg2 : tensor<70x24xf32>) attributes {kind = "chain", schedule = #indexing.schedule<chain [tile(m, 0)]>} -> tensor<65x24xf32> {
    %1 = indexing.fusion(%arg6 = %arg3 : tensor<70x16xf32>, %arg7 = %arg4 : tensor<65x16xf32>) attributes {kind = "contraction"} -> tensor<65x70xf32> {
      %4 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<70x16xf32>) -> tensor<16x70xf32>
      %5 = stablehlo.dot_general %arg7, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x16xf32>, tensor<16x70xf32>) -> tensor<65x70xf32>
      indexing.yield %5 : tensor<65x70xf32>
    }
    %2 = indexing.fusion(%arg6 = %1 : tensor<65x70xf32>) attributes {kind = "reduction"} -> tensor<65x70xf32> {
      %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<65x70xf32>
      %5 = stablehlo.divide %arg6, %4 : tensor<65x70xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<65xf32>
      %8 = stablehlo.maximum %7, %6 : tensor<65xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %11 = stablehlo.subtract %5, %10 : tensor<65x70xf32>
      %12 = stablehlo.exponential %11 : tensor<65x70xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %16 = stablehlo.divide %12, %15 : tensor<65x70xf32>
      indexing.yield %16 : tensor<65x70xf32>
    }
    %3 = indexing.fusion(%arg6 = %2 : tensor<65x70xf32>, %arg7 = %arg5 : tensor<70x24xf32>) attributes {kind = "contraction"} -> tensor<65x24xf32> {
      %4 = stablehlo.dot_general %arg6, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x70xf32>, tensor<70x24xf32>) -> tensor<65x24xf32>
      indexing.yield %4 : tensor<65x24xf32>
    }
    indexing.yield %3 : tensor<65x24xf32>
  }
  return %0 : tensor<65x24xf32>
}

// -----

func.func @no_loop_of_a_chain(%arg0: tensor<65x16xf32>, %arg1: tensor<70x16xf32>, %arg2: tensor<70x24xf32>) -> tensor<65x24xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'tile(d7, 3)' is for the loop of the rows, 'm'}}
  %0 = indexing.fusion(%arg3 = %arg1 : tensor<70x16xf32>, %arg4 = %arg0 : tensor<65x16xf32>, %arg5 = %arg2 : tensor<70x24xf32>) attributes {kind = "chain", schedule = #indexing.schedule<chain [tile(d7, 3)]>} -> tensor<65x24xf32> {
    %1 = indexing.fusion(%arg6 = %arg3 : tensor<70x16xf32>, %arg7 = %arg4 : tensor<65x16xf32>) attributes {kind = "contraction"} -> tensor<65x70xf32> {
      %4 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<70x16xf32>) -> tensor<16x70xf32>
      %5 = stablehlo.dot_general %arg7, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x16xf32>, tensor<16x70xf32>) -> tensor<65x70xf32>
      indexing.yield %5 : tensor<65x70xf32>
    }
    %2 = indexing.fusion(%arg6 = %1 : tensor<65x70xf32>) attributes {kind = "reduction"} -> tensor<65x70xf32> {
      %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<65x70xf32>
      %5 = stablehlo.divide %arg6, %4 : tensor<65x70xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<65xf32>
      %8 = stablehlo.maximum %7, %6 : tensor<65xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %11 = stablehlo.subtract %5, %10 : tensor<65x70xf32>
      %12 = stablehlo.exponential %11 : tensor<65x70xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %16 = stablehlo.divide %12, %15 : tensor<65x70xf32>
      indexing.yield %16 : tensor<65x70xf32>
    }
    %3 = indexing.fusion(%arg6 = %2 : tensor<65x70xf32>, %arg7 = %arg5 : tensor<70x24xf32>) attributes {kind = "contraction"} -> tensor<65x24xf32> {
      %4 = stablehlo.dot_general %arg6, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x70xf32>, tensor<70x24xf32>) -> tensor<65x24xf32>
      indexing.yield %4 : tensor<65x24xf32>
    }
    indexing.yield %3 : tensor<65x24xf32>
  }
  return %0 : tensor<65x24xf32>
}

// -----

func.func @not_for_stages(%arg0: tensor<65x16xf32>, %arg1: tensor<70x16xf32>, %arg2: tensor<70x24xf32>) -> tensor<65x24xf32> {
  // expected-error @+1 {{cannot run by its schedule: there is no emitter 'tiled' for this region: there are chain}}
  %0 = indexing.fusion(%arg3 = %arg1 : tensor<70x16xf32>, %arg4 = %arg0 : tensor<65x16xf32>, %arg5 = %arg2 : tensor<70x24xf32>) attributes {kind = "chain", schedule = #indexing.schedule<tiled []>} -> tensor<65x24xf32> {
    %1 = indexing.fusion(%arg6 = %arg3 : tensor<70x16xf32>, %arg7 = %arg4 : tensor<65x16xf32>) attributes {kind = "contraction"} -> tensor<65x70xf32> {
      %4 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<70x16xf32>) -> tensor<16x70xf32>
      %5 = stablehlo.dot_general %arg7, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x16xf32>, tensor<16x70xf32>) -> tensor<65x70xf32>
      indexing.yield %5 : tensor<65x70xf32>
    }
    %2 = indexing.fusion(%arg6 = %1 : tensor<65x70xf32>) attributes {kind = "reduction"} -> tensor<65x70xf32> {
      %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<65x70xf32>
      %5 = stablehlo.divide %arg6, %4 : tensor<65x70xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<65xf32>
      %8 = stablehlo.maximum %7, %6 : tensor<65xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %11 = stablehlo.subtract %5, %10 : tensor<65x70xf32>
      %12 = stablehlo.exponential %11 : tensor<65x70xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %16 = stablehlo.divide %12, %15 : tensor<65x70xf32>
      indexing.yield %16 : tensor<65x70xf32>
    }
    %3 = indexing.fusion(%arg6 = %2 : tensor<65x70xf32>, %arg7 = %arg5 : tensor<70x24xf32>) attributes {kind = "contraction"} -> tensor<65x24xf32> {
      %4 = stablehlo.dot_general %arg6, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x70xf32>, tensor<70x24xf32>) -> tensor<65x24xf32>
      indexing.yield %4 : tensor<65x24xf32>
    }
    indexing.yield %3 : tensor<65x24xf32>
  }
  return %0 : tensor<65x24xf32>
}

// -----

func.func @stage_of_a_chain(%arg0: tensor<65x16xf32>, %arg1: tensor<70x16xf32>, %arg2: tensor<70x24xf32>) -> tensor<65x24xf32> {
  // expected-error @+1 {{cannot run by its schedule: a stage has a schedule of its own}}
  %0 = indexing.fusion(%arg3 = %arg1 : tensor<70x16xf32>, %arg4 = %arg0 : tensor<65x16xf32>, %arg5 = %arg2 : tensor<70x24xf32>) attributes {kind = "chain", schedule = #indexing.schedule<chain [tile(m, 4)]>} -> tensor<65x24xf32> {
    %1 = indexing.fusion(%arg6 = %arg3 : tensor<70x16xf32>, %arg7 = %arg4 : tensor<65x16xf32>) attributes {kind = "contraction"} -> tensor<65x70xf32> {
      %4 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<70x16xf32>) -> tensor<16x70xf32>
      %5 = stablehlo.dot_general %arg7, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x16xf32>, tensor<16x70xf32>) -> tensor<65x70xf32>
      indexing.yield %5 : tensor<65x70xf32>
    }
    %2 = indexing.fusion(%arg6 = %1 : tensor<65x70xf32>) attributes {kind = "reduction", schedule = #indexing.schedule<tiled []>} -> tensor<65x70xf32> {
      %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<65x70xf32>
      %5 = stablehlo.divide %arg6, %4 : tensor<65x70xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<65xf32>
      %8 = stablehlo.maximum %7, %6 : tensor<65xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %11 = stablehlo.subtract %5, %10 : tensor<65x70xf32>
      %12 = stablehlo.exponential %11 : tensor<65x70xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<65x70xf32>, tensor<f32>) -> tensor<65xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<65xf32>) -> tensor<65x1xf32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<65x1xf32>) -> tensor<65x70xf32>
      %16 = stablehlo.divide %12, %15 : tensor<65x70xf32>
      indexing.yield %16 : tensor<65x70xf32>
    }
    %3 = indexing.fusion(%arg6 = %2 : tensor<65x70xf32>, %arg7 = %arg5 : tensor<70x24xf32>) attributes {kind = "contraction"} -> tensor<65x24xf32> {
      %4 = stablehlo.dot_general %arg6, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<65x70xf32>, tensor<70x24xf32>) -> tensor<65x24xf32>
      indexing.yield %4 : tensor<65x24xf32>
    }
    indexing.yield %3 : tensor<65x24xf32>
  }
  return %0 : tensor<65x24xf32>
}

// -----

func.func @no_product(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: there is no product in the region}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<contraction [tile(m, 8)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @no_value(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot run by its schedule: 'keep(v9)' names no value: there are a0, v0}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {schedule = #indexing.schedule<tiled [lanes(d0, 4), keep(v9)]>} -> tensor<8xf32> {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
