module @newer {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}, %d: tensor<?xi32, #stablehlo.bounds<6>>, %q: tensor<4xi2>) -> (tensor<8x4xf32>, tensor<8x4xf8E3M4>, tensor<4xf32>) {
    %sum = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %exp = "stablehlo.exponential"(%sum) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %narrow = stablehlo.convert %exp : (tensor<8x4xf32>) -> tensor<8x4xf8E3M4>
    %same = sdy.sharding_constraint %exp <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %wide = stablehlo.convert %q : (tensor<4xi2>) -> tensor<4xf32>
    %root = stablehlo.composite "example.root" %wide {composite_attributes = {digits = 3 : i64, name = "a\22b"}, decomposition = @root, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    return %same, %narrow, %root : tensor<8x4xf32>, tensor<8x4xf8E3M4>, tensor<4xf32>
  }
  func.func private @root(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sqrt %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
