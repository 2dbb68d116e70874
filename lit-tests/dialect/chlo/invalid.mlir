// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

func.func @slices_of_another_size(%a: tensor<2x3xi32>, %zero: tensor<2xi32>) {
  // expected-error@+1 {{the region must take the slices and the initial values (tensor<3xi32>, tensor<2xi32>), takes (tensor<2xi32>, tensor<2xi32>)}}
  %0:2 = chlo.scan(%a) inits (%zero) dimension=0 {
  ^bb0(%slice: tensor<2xi32>, %carry: tensor<2xi32>):
    %1 = stablehlo.add %slice, %carry : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @another_number_of_rounds(%a: tensor<2x3xi32>, %zero: tensor<3xi32>) {
  // expected-error@+1 {{output #0 must have the size [2] in dimension 0, is tensor<5x3xi32>}}
  %0:2 = chlo.scan(%a) inits (%zero) dimension=0 {
  ^bb0(%slice: tensor<3xi32>, %carry: tensor<3xi32>):
    stablehlo.return %slice, %carry : tensor<3xi32>, tensor<3xi32>
  } : (tensor<2x3xi32>, tensor<3xi32>) -> (tensor<5x3xi32>, tensor<3xi32>)
  return
}

// -----

func.func @other_values_returned(%a: tensor<2x3xi32>, %zero: tensor<i32>) {
  // expected-error@+1 {{the region must return the slices and the carried values (tensor<3xi32>, tensor<i32>), returns (tensor<i32>, tensor<3xi32>)}}
  %0:2 = chlo.scan(%a) inits (%zero) dimension=0 {
  ^bb0(%slice: tensor<3xi32>, %carry: tensor<i32>):
    stablehlo.return %carry, %slice : tensor<i32>, tensor<3xi32>
  } : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>, tensor<i32>)
  return
}
