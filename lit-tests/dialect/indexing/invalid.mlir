// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

func.func @arguments(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 operands, but its region has 0 arguments}}
  %0 = "indexing.fusion"(%x) ({
    %1 = stablehlo.iota dim = 0 : tensor<8xf32>
    indexing.yield %1 : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @yield(%x: tensor<8xf32>) {
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{yields 'tensor<8xf32>', but the results are 'tensor<4xf32>'}}
    indexing.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @maps_of_results(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 results, but maps of 0}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {maps = []} -> tensor<8xf32> {
    indexing.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @maps_of_operands(%x: tensor<8xf32>) {
  // expected-error@+1 {{expects a list of maps for each of the 1 operands of result #0}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {maps = [[]]} -> tensor<8xf32> {
    indexing.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @no_maps(%x: tensor<8xf32>) {
  // expected-error@+1 {{expects maps, or words where they are not known, from result #0}}
  %0 = indexing.fusion(%a = %x : tensor<8xf32>) attributes {maps = [[[1]]]} -> tensor<8xf32> {
    indexing.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @capture(%x: tensor<8xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = indexing.fusion() -> tensor<8xf32> {
    // expected-error@+1 {{using value defined outside the region}}
    indexing.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @no_kernel(%n: index) {
  // expected-error@+1 {{refers to a kernel that does not exist: @kernel}}
  indexing.launch @kernel() tiles(%n)
  return
}

// -----

func.func private @kernel(f32)
func.func @kernel_type(%n: index) {
  // expected-error@+1 {{passes argument #0 of type 'index' to @kernel, which takes 'f32'}}
  indexing.launch @kernel(%n : index) tiles(%n)
  return
}

// -----

// expected-error@+1 {{unknown attribute 'foo' in dialect 'indexing'}}
func.func private @unknown() attributes {m = #indexing.foo<1>}
