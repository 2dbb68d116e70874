// Programs that satisfy the constraints of Shardy, beside those of constraints.mlir.
// RUN: mapwright-opt %s -split-input-file -o /dev/null

sdy.mesh @max = <[], device_ids=[3]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@max, []> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @e = <[]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@e, [{}, {}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{"c":(1)2},{"c":(3)2}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{"c":(2)2,"c":(1)2},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{},{}], replicated={"a","b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{?}p1,{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{"a"}p1,{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{"a"},{}]> : tensor<0x8xf32>
return %r : tensor<0x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{},{"a"}]> : tensor<0x8xf32>
return %r : tensor<0x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{"a"},{}]> : tensor<?x8xf32>
return %r : tensor<?x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
%r = sdy.sharding_constraint %x <@m, [{"a"},{}]> : tensor<3x8xf32>
return %r : tensor<3x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
%r = sdy.sharding_constraint %x <@m, []> : tensor<f32>
return %r : tensor<f32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.sharding_constraint %x <mesh<["q"=2]>, [{"q"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>> {
%r = sdy.sharding_constraint %x <@m, [{"a"},{}]> : tensor<8x8xcomplex<f32>>
return %r : tensor<8x8xcomplex<f32>>
}

// -----

sdy.mesh @m = <["a"=2],device_ids=[0,1]>

// -----

sdy.mesh @m = <["a"=2],device_ids=[1,0]>

// -----

sdy.mesh @m = <["a"=1]>

// -----

sdy.mesh @m = <["a"=1],device_ids=[0]>

// -----

sdy.mesh @m = <["a"=2]>
sdy.mesh @n = <["a"=3]>

// -----

sdy.mesh @m = <["a"=2]>
sdy.mesh @n = <["b"=2]>

// -----

sdy.mesh @m = <["a"=4611686018427387904,"b"=4]>

// -----

sdy.mesh @m = <[""=2]>

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.foo = 1 : i32} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
return %x : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) { stablehlo.custom_call @f(%x) {has_side_effect=true, sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<8xf32>) -> ()
 return }

// -----

sdy.mesh @m = <["a"=2]>
func.func @main() -> !stablehlo.token { %r = stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : !stablehlo.token
 return %r : !stablehlo.token }

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{},{}] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"c"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"c":(4)3},{}] %x out_sharding=<@m, [{"c":(1)4},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"b","c"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"b":(2)2,"c"},{}] %x out_sharding=<@m, [{"b":(1)2},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b",?},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{?}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}], replicated={"c"}>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}], unreduced={"c"}>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{}], replicated={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<3x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<3x8xf32> {
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<3x8xf32>
return %r : tensor<3x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_slice [{"b"},{}] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.all_slice [{"b"},{}] %x out_sharding=<@m, [{"b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"c":(1)2},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_slice [{"c":(2)6},{}] %x out_sharding=<@m, [{"c"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], replicated={"b"}>}) -> tensor<8x8xf32> {
%r = sdy.all_slice [{"b"},{}] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_to_all [{"b"}: 0->1] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{"c"}]>}) -> tensor<8x8xf32> {
%r = sdy.all_to_all [{"b"}: 0->1] %x out_sharding=<@m, [{"a"},{"c","b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8x8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{},{"b"},{}]>}) -> tensor<8x8x8x8xf32> {
%r = sdy.all_to_all [{"a"}: 0->1, {"b"}: 2->3] %x out_sharding=<@m, [{},{"a"},{},{"b"}]> : tensor<8x8x8x8xf32>
return %r : tensor<8x8x8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b"}>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce {} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b","c"}>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"c"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b","c"}>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a",?},{}], unreduced={"b"}>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{?}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b"}>}) -> tensor<8x8xf32> {
%r = sdy.reduce_scatter [{},{"b"}] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.reduce_scatter [{},{"b"}] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}],replicated={"b"}>}) -> tensor<8x8xf32> {
%r = sdy.reduce_scatter [{},{"b"}] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b","c"}>}) -> tensor<8x8xf32> {
%r = sdy.reduce_scatter [{},{"b"}] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.reduce_scatter [{},{"b"}] %x out_sharding=<@m, [{},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
sdy.mesh @n = <["a"=2, "b"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.collective_permute %x out_sharding=<@n, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.collective_permute %x out_sharding=<@m, [{"c":(1)4},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.collective_permute %x out_sharding=<@m, [{"b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"b"},{}], unreduced={"a"}>}) -> tensor<8x8xf32> {
%r = sdy.collective_permute %x out_sharding=<@m, [{"b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.collective_permute %x out_sharding=<@m, [{"b","a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=2]>
sdy.mesh @o = <["a"=2,"b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.all_gather [{"a"},{}] %x out_sharding=<@o, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"c"}>}) -> tensor<8x8xf32> {
%r = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"b","c"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], replicated={"b"}>}) -> tensor<8x8xf32> {
%r = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.sharded_to_unreduced [{"b"},{}] %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
%r = sdy.sharded_to_unreduced [{},{}] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.propagation_barrier %x allowed_direction=NONE : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.data_flow_edge %x sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.func_data_flow_edge %x : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%q = stablehlo.add %x, %x : tensor<8x8xf32>
%r = sdy.data_flow_edge %q : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%q = stablehlo.add %x, %x {sdy.sharding=#sdy.sharding_per_value<[<@m, [{"a"},{}]>]>}: tensor<8x8xf32>
%r = sdy.data_flow_edge %q : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>, %i: tensor<i32>) -> tensor<8xf32> { 
 %w:2 = stablehlo.while(%p = %x, %q = %i) : tensor<8xf32>, tensor<i32>
 cond { %t = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.return %t : tensor<i1> }
 do { stablehlo.return %p, %q : tensor<8xf32>, tensor<i32> }
 %r = sdy.data_flow_edge %w#0 sharding=<@m, [{"a"}]> : tensor<8xf32>
 return %r : tensor<8xf32> }

// -----

func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { %q = call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
 %r = sdy.func_data_flow_edge %q : tensor<8xf32>
 return %r : tensor<8xf32> }

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
sdy.sharding_group %x group_id=-1 : tensor<8x8xf32>
return %x : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"b"} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"b","a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a","b"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a","a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"b","a"},{}]>] out_shardings=[<@m, [{"b","a"},{}]>] manual_axes={"b"} (%y: tensor<2x8xf32>) { sdy.return %y : tensor<2x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{},{}],replicated={"a"}>] out_shardings=[<@m, [{},{}],replicated={"a"}>] manual_axes={"a"} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{},{}]>] out_shardings=[<@m, [{},{}]>] manual_axes={"a"} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"c":(1)4},{}]>] out_shardings=[<@m, [{"c":(1)4},{}]>] manual_axes={"c"} (%y: tensor<2x8xf32>) { sdy.return %y : tensor<2x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @e = <[]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@e, [{},{}]>] out_shardings=[<@e, [{},{}]>] manual_axes={} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a",?},{?}]>] out_shardings=[<@m, [{"a",?},{?}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<mesh<["a"=2]>, [{"a"},{}]>] out_shardings=[<mesh<["a"=2]>, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}], unreduced={"b"}>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{},{}], unreduced={"a"}>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = stablehlo.concatenate %y, %y, dim=0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
 sdy.return %z : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<?x8xf32>) { sdy.return %y : tensor<?x8xf32> } : (tensor<?x8xf32>) -> tensor<?x8xf32>
return %r : tensor<?x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = sdy.manual_computation(%y) in_shardings=[<@m, [{"b"},{}]>] out_shardings=[<@m, [{"b"},{}]>] manual_axes={"b"} (%w: tensor<1x8xf32>) { sdy.return %w : tensor<1x8xf32> } : (tensor<4x8xf32>) -> tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = sdy.sharding_constraint %y <@m, [{"b"},{}]> : tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
sdy.mesh @q = <["x"=2]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = sdy.sharding_constraint %y <@q, [{"x"},{}]> : tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @main() { sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () { sdy.return } : () -> ()
 return }

// -----

sdy.mesh @m = <["a"=2]>
func.func @main() { sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () { sdy.return } : () -> ()
 return }

// -----

sdy.mesh @m = <["a"=2]>
func.func @main(%x: !stablehlo.token) -> !stablehlo.token { %r = sdy.manual_computation(%x) in_shardings=[<@m, []>] out_shardings=[<@m, []>] manual_axes={"a"} (%y: !stablehlo.token) { sdy.return %y : !stablehlo.token } : (!stablehlo.token) -> !stablehlo.token
 return %r : !stablehlo.token}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.named_computation<"f">(%x)   (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.named_computation<"f">(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = sdy.constant dense<1.0> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=4, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=16, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=0, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j],[ik, j])->([ik, j]) {i=4, j=8, k=2}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} need_replication={i} blocked_propagation={i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8}, custom>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, *],[i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced=max{"a", "b"}>}) -> tensor<8x8xf32> {
%r = sdy.all_reduce max {"a"} %x out_sharding=<@m, [{},{}], unreduced=max{"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}
