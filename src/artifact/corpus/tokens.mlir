module @tokens {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: !stablehlo.token, %arg1: tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: !stablehlo.token, %arg3: tensor<2xf32>) {
      %1 = stablehlo.negate %arg3 : tensor<2xf32>
      sdy.return %arg2, %1 : !stablehlo.token, tensor<2xf32>
    } : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<4xf32>
  }
}
