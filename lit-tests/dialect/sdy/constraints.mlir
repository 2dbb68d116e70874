// The constraints of Shardy's operations and attributes, as its pages list them.
// RUN: mapwright-opt %s -verify-diagnostics -split-input-file -o /dev/null

sdy.mesh @max = <[], device_ids=[3]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op a sharding on one device has neither dimensions nor axes}}
%r = sdy.sharding_constraint %x <@max, [{}, {}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @max = <[], device_ids=[3]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op a sharding on one device has neither dimensions nor axes}}
%r = sdy.sharding_constraint %x <@max, [], replicated={"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @e = <[]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the sharding has 0 dimensions, the tensor has 2}}
%r = sdy.sharding_constraint %x <@e, []> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @e = <[]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the mesh has no axis "a" (there is )}}
%r = sdy.sharding_constraint %x <@e, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(2)2 goes on where the part before it ends: both are one part}}
%r = sdy.sharding_constraint %x <@m, [{"c":(1)2,"c":(2)2},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the replicated axes are not in the order of the mesh}}
%r = sdy.sharding_constraint %x <@m, [{},{}], replicated={"b","a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the replicated axes are not in the order of the mesh}}
%r = sdy.sharding_constraint %x <@m, [{},{}], replicated={"c":(4)3,"c":(1)2}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the unreduced axes are not in the order of the mesh}}
%r = sdy.sharding_constraint %x <@m, [{},{}], unreduced={"b","a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "a":(1)2 has the size 2 of an axis of size 2: a part is smaller than its axis and greater than 1}}
%r = sdy.sharding_constraint %x <@m, [{"a":(1)2},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(1)1 has the size 1 of an axis of size 12: a part is smaller than its axis and greater than 1}}
%r = sdy.sharding_constraint %x <@m, [{"c":(1)1},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(0)2 is no part of axis "c" of size 12}}
%r = sdy.sharding_constraint %x <@m, [{"c":(0)2},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(1)5 is no part of axis "c" of size 12}}
%r = sdy.sharding_constraint %x <@m, [{"c":(1)5},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(4)4 is no part of axis "c" of size 12}}
%r = sdy.sharding_constraint %x <@m, [{"c":(4)4},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "a" is used twice}}
%r = sdy.sharding_constraint %x <@m, [{"a"},{"a"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(2)2 is used twice}}
%r = sdy.sharding_constraint %x <@m, [{"c":(1)4},{"c":(2)2}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "c":(2)2 is used twice}}
%r = sdy.sharding_constraint %x <@m, [{"c"},{"c":(2)2}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "a" is used twice}}
%r = sdy.sharding_constraint %x <@m, [{"a"},{}], replicated={"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op "a" is used twice}}
%r = sdy.sharding_constraint %x <@m, [{"a"},{}], unreduced={"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op dimension 0 has a priority, and neither axes nor a `?`}}
%r = sdy.sharding_constraint %x <@m, [{}p1,{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the mesh @zz is not known}}
%r = sdy.sharding_constraint %x <@zz, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the mesh has no axis "z" (there is a, b, c)}}
%r = sdy.sharding_constraint %x <@m, [{"z"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the sharding has 1 dimension, the tensor has 2}}
%r = sdy.sharding_constraint %x <@m, [{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the mesh has two axes "q"}}
%r = sdy.sharding_constraint %x <mesh<["q"=2,"q"=2]>, [{"q"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{'sdy.mesh' op the mesh has two axes "a"}}
sdy.mesh @m = <["a"=2,"a"=2]>

// -----

// expected-error@+1 {{'sdy.mesh' op 'mesh': column 16: axis "a" has size 0, it must be at least 1}}
sdy.mesh @m = <["a"=0]>

// -----

// expected-error@+1 {{'sdy.mesh' op 'mesh': column 16: axis "a" has size -2, it must be at least 1}}
sdy.mesh @m = <["a"=-2]>

// -----

// expected-error@+1 {{'sdy.mesh' op the axes of the mesh have 4 devices, its list has 2}}
sdy.mesh @m = <["a"=4],device_ids=[1,0]>

// -----

// expected-error@+1 {{'sdy.mesh' op the mesh has a device of the number -1}}
sdy.mesh @m = <["a"=2],device_ids=[-1,0]>

// -----

// expected-error@+1 {{'sdy.mesh' op the mesh lacks the device 1}}
sdy.mesh @m = <["a"=2],device_ids=[2,0]>

// -----

// expected-error@+1 {{'sdy.mesh' op the mesh lacks the device 1}}
sdy.mesh @m = <["a"=2],device_ids=[0,0]>

// -----

// expected-error@+1 {{'sdy.mesh' op the mesh has a device of the number -1}}
sdy.mesh @m = <[],device_ids=[-1]>

// -----

// expected-error@+1 {{'sdy.mesh' op a mesh without axes has 2 devices instead of one}}
sdy.mesh @m = <[],device_ids=[0,1]>

// -----

// expected-error@+1 {{'sdy.mesh' op the mesh lacks the device 0}}
sdy.mesh @m = <["a"=1],device_ids=[3]>

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': 2 shardings are given for 1 result}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>,<@m, [{"a"}, {}]>]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': 0 shardings are given for 1 result}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': expected '#sdy.sharding_per_value', is #sdy.sharding<@m, [{"a"}, {}]>}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': expected '#sdy.sharding_per_value', is 1 : i32}}
%r = stablehlo.add %x, %x {sdy.sharding = 1 : i32} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': result 0: the mesh has no axis "z" (there is a, b, c)}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z"}, {}]>]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': expected '#sdy.op_sharding_rule', is 1 : i32}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = 1 : i32} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': expected '#sdy.sharding_per_value', is "x"}}
%r = stablehlo.add %x, %x {sdy.sharding = "x"} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
// expected-error@+1 {{'func.func' op 'sdy.sharding': argument 0: expected '#sdy.sharding', is #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>}}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>}) -> tensor<8x8xf32> {
return %x : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
// expected-error@+1 {{'func.func' op 'sdy.sharding': argument 0: the sharding has 1 dimension, the tensor has 2}}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<8x8xf32> {
return %x : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{'func.func' op 'sdy.sharding': argument 0: expected '#sdy.sharding', is 1 : i32}}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = 1 : i32}) -> tensor<8x8xf32> {
return %x : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{'func.func' op 'sdy.sharding': result 0: the sharding has 0 dimensions, the tensor has 1}}
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, []>}) { return %x : tensor<8xf32> }

// -----

sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{'func.func' op 'sdy.sharding': expected '#sdy.sharding_per_value', is #sdy.sharding<@m, [{}]>}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.sharding = #sdy.sharding<@m, [{}]>} { return %x : tensor<8xf32> }

// -----

sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{'func.return' op 'sdy.sharding': result 0: a value that is no tensor has a sharding with neither dimensions nor axes}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return {sdy.sharding = #sdy.sharding_per_value<[<@m,[{}]>]>} %x : tensor<8xf32> }

// -----

// expected-error@+1 {{'builtin.module' op 'sdy.sharding': expected '#sdy.sharding_per_value', is 1 : i32}}
module attributes {sdy.sharding = 1 : i32} { func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> } }

// -----

sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{'stablehlo.create_token' op 'sdy.sharding': result 0: a value that is no tensor has a sharding with neither dimensions nor axes}}
func.func @main() -> !stablehlo.token { %r = stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : !stablehlo.token
 return %r : !stablehlo.token }

// -----

sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{'stablehlo.create_token' op 'sdy.sharding': result 0: a value that is no tensor has a sharding with neither dimensions nor axes}}
func.func @main() -> !stablehlo.token { %r = stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@m, [], replicated={"a"}>]>} : !stablehlo.token
 return %r : !stablehlo.token }

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op its operand has no sharding}}
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op its operand has no sharding}}
%r = sdy.all_gather [{},{}] %x out_sharding=<@m, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op "a" is not at the end of the axes of dimension 0 of the operand}}
%r = sdy.all_gather [{"a"},{}] %x out_sharding=<@m, [{"b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op the axes of dimension 0 of the result do not follow from those of the operand}}
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op the axes are given for 1 dimension, the tensor has 2}}
%r = sdy.all_gather [{"b"}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
sdy.mesh @n = <["a"=2, "b"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op operand and result are on different meshes}}
%r = sdy.all_gather [{"b"},{}] %x out_sharding=<@n, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"c"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op "c":(1)4 is not at the end of the axes of dimension 0 of the operand}}
%r = sdy.all_gather [{"c":(1)4},{}] %x out_sharding=<@m, [{"c":(4)3},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op the mesh has no axis "z" (there is a, b, c)}}
%r = sdy.all_gather [{"z"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"c":(1)2},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_slice' op the axes of dimension 0 of the result do not follow from those of the operand}}
%r = sdy.all_slice [{"c":(2)3},{}] %x out_sharding=<@m, [{"c"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_slice' op "a" is used twice}}
%r = sdy.all_slice [{},{"a"}] %x out_sharding=<@m, [{"a"},{"a"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_slice' op the axes of dimension 0 of the result do not follow from those of the operand}}
%r = sdy.all_slice [{"b"},{}] %x out_sharding=<@m, [{"b","a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op "a" is not at the end of the axes of dimension 0 of the operand}}
%r = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@m, [{"b"},{"a"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op no axes move}}
%r = sdy.all_to_all [] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op no axes move from dimension 0}}
%r = sdy.all_to_all [{}: 0->1] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op dimension 0 takes part in two moves}}
%r = sdy.all_to_all [{"b"}: 0->0] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op the tensor has no dimension -1}}
%r = sdy.all_to_all [{"b"}: 0->-1] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op the tensor has no dimension 2}}
%r = sdy.all_to_all [{"b"}: 0->2] %x out_sharding=<@m, [{"a","b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8x8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{},{"b"},{}]>}) -> tensor<8x8x8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op the moves are not in the order of their first dimensions}}
%r = sdy.all_to_all [{"b"}: 2->3, {"a"}: 0->1] %x out_sharding=<@m, [{},{"a"},{},{"b"}]> : tensor<8x8x8x8xf32>
return %r : tensor<8x8x8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{"b"},{}]>}) -> tensor<8x8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op dimension 1 takes part in two moves}}
%r = sdy.all_to_all [{"a"}: 0->1, {"b"}: 1->2] %x out_sharding=<@m, [{},{"a"},{"b"}]> : tensor<8x8x8xf32>
return %r : tensor<8x8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_to_all' op its operand has no sharding}}
%r = sdy.all_to_all [{"b"}: 0->1] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op the axes of dimension 0 of the result do not follow from those of the operand}}
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced={"a","b"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op the reduced axes are not in the order of the mesh}}
%r = sdy.all_reduce {"b","a"} %x out_sharding=<@m, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op the axes of dimension 0 of the result do not follow from those of the operand}}
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{},{"a"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op "a" is reduced, and splits or replicates the operand}}
%r = sdy.all_reduce {"a"} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], replicated={"b"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op "b" is reduced, and splits or replicates the operand}}
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op "b" is reduced, and unreduced in the result}}
%r = sdy.all_reduce {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.reduce_scatter' op the axes of dimension 0 of the result do not follow from those of the operand}}
%r = sdy.reduce_scatter [{"b"},{}] %x out_sharding=<@m, [{"a"},{"b"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.collective_permute' op dimension 0 is split by 2 in the operand and by 4 in the result}}
%r = sdy.collective_permute %x out_sharding=<@m, [{"b"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.collective_permute' op its operand has no sharding}}
%r = sdy.collective_permute %x out_sharding=<@m, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=2]>
sdy.mesh @o = <["b"=2,"a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.collective_permute' op the mesh of the result has other axes than that of the operand}}
%r = sdy.collective_permute %x out_sharding=<@o, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=2]>
sdy.mesh @o = <["a"=2,"c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.collective_permute' op the mesh of the result has other axes than that of the operand}}
%r = sdy.collective_permute %x out_sharding=<@o, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=2]>
sdy.mesh @o = <["a"=2,"b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.collective_permute' op the meshes of operand and result have other names and the same devices}}
%r = sdy.collective_permute %x out_sharding=<@o, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
sdy.mesh @max = <[], device_ids=[3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_gather' op operand and result are on different meshes}}
%r = sdy.all_gather [{"a"},{}] %x out_sharding=<@max, []> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
sdy.mesh @max = <[], device_ids=[3]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.collective_permute' op the mesh of the result has other axes than that of the operand}}
%r = sdy.collective_permute %x out_sharding=<@max, []> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op no axes become unreduced}}
%r = sdy.replicated_to_unreduced {} %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op the unreduced axes are not in the order of the mesh}}
%r = sdy.replicated_to_unreduced {"b","a"} %x out_sharding=<@m, [{},{}], unreduced={"a","b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op "a" is used twice}}
%r = sdy.replicated_to_unreduced {"a"} %x out_sharding=<@m, [{"a"},{}], unreduced={"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"b"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op "b" is unreduced in the operand}}
%r = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a"},{}], unreduced={"c"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op the unreduced axes of the result are not those of the operand and the new ones}}
%r = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op its operand has no sharding}}
%r = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@m, [{},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op "a" is not at the end of the axes of dimension 0 of the operand}}
%r = sdy.sharded_to_unreduced [{"a"},{}] %x out_sharding=<@m, [{"b"},{}], unreduced={"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"a","b"},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op the unreduced axes of the result are not those of the operand and the new ones}}
%r = sdy.sharded_to_unreduced [{"b"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharded_to_unreduced' op its operand has no sharding}}
%r = sdy.sharded_to_unreduced [{"b"},{}] %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.propagation_barrier' op a barrier that blocks neither direction ('BOTH') is none}}
%r = sdy.propagation_barrier %x allowed_direction=BOTH : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.data_flow_edge' op the sharding has 1 dimension, the tensor has 2}}
%r = sdy.data_flow_edge %x sharding=<@m, [{"a"}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.data_flow_edge' op its operand has 2 uses instead of this one}}
%r = sdy.data_flow_edge %x : tensor<8x8xf32>
%q = sdy.data_flow_edge %x : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.data_flow_edge' op its operand has 2 uses instead of this one}}
%r = sdy.data_flow_edge %x : tensor<8x8xf32>
%q = stablehlo.add %x, %r : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%q = sdy.sharding_constraint %x <@m, [{"a"},{}]> : tensor<8x8xf32>
// expected-error@+1 {{'sdy.data_flow_edge' op the owner of an edge is a value of an operation that is not Shardy's}}
%r = sdy.data_flow_edge %q : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
%q = stablehlo.add %x, %x : tensor<8x8xf32>
// expected-error@+1 {{'sdy.func_data_flow_edge' op its operand is neither an argument of a function nor a result of a call}}
%r = sdy.func_data_flow_edge %q : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.func_data_flow_edge' op its operand has 2 uses instead of this one}}
%r = sdy.func_data_flow_edge %x : tensor<8x8xf32>
%q = stablehlo.add %x, %r : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0 is tensor<4x8xf32> on each device, its region has tensor<8x8xf32>}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op 2 shardings are given for 1 operand}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>,<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op 0 shardings are given for 1 operand}}
%r = sdy.manual_computation(%x) in_shardings=[] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op the mesh has no axis "z" to be manual along}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"z"} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0: the manual axis "a" comes behind a free one in dimension 0}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"b","a"},{}]>] out_shardings=[<@m, [{"b","a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0: the size 3 of dimension 0 is no multiple of 2, the devices along its manual axes}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<2x8xf32>) { sdy.return %y : tensor<2x8xf32> } : (tensor<3x8xf32>) -> tensor<3x8xf32>
return %r : tensor<3x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
sdy.mesh @n = <["a"=2, "b"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op its shardings are on several meshes}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@n, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op result 0 is tensor<8x8xf32> on each device, its region has tensor<4x8xf32>}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0: the sharding has 1 dimension, the tensor has 2}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x4xf32> {
// expected-error@+1 {{'sdy.manual_computation' op result 0 is tensor<4x4xf32> on each device, its region has tensor<4x8xf32>}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x4xf32>
return %r : tensor<8x4xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0 is tensor<4x8xf32> on each device, its region has tensor<4x8xf64>}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf64>) { sdy.return %y : tensor<4x8xf64> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0: the axis "a" is one along which a computation around it is manual}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = sdy.manual_computation(%y) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%w: tensor<2x8xf32>) { sdy.return %w : tensor<2x8xf32> } : (tensor<4x8xf32>) -> tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the axis "a" is one along which a computation around it is manual}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = sdy.sharding_constraint %y <@m, [{"a"},{}]> : tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding': result 0: the axis "a" is one along which a computation around it is manual}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = stablehlo.add %y, %y {sdy.sharding=#sdy.sharding_per_value<[<@m, [{"a"},{}]>]>} : tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.sharding_constraint' op the axis "a" is one along which a computation around it is manual}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"},{}]>] out_shardings=[<@m, [{"a"},{}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) { %z = sdy.sharding_constraint %y <@m, [{},{}],replicated={"a"}> : tensor<4x8xf32>
 sdy.return %z : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.named_computation' op its region has operands of other types than it has}}
%r = sdy.named_computation<"f">(%x)   (%y: tensor<4x8xf32>) { sdy.return %y : tensor<4x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.named_computation' op 2 shardings are given for 1 operand}}
%r = sdy.named_computation<"f">(%x) in_shardings=[<@m, [{"a"},{}]>,<@m, [{"a"},{}]>]  (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4, "c"=12]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.named_computation' op operand 0: the sharding has 1 dimension, the tensor has 2}}
%r = sdy.named_computation<"f">(%x) in_shardings=[<@m, [{"a"}]>]  (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x4xf32> {
// expected-error@+1 {{'sdy.named_computation' op its region has results of other types than it has}}
%r = sdy.named_computation<"f">(%x)   (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x4xf32>
return %r : tensor<8x4xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.named_computation' op 0 shardings are given for 1 result}}
%r = sdy.named_computation<"f">(%x)  out_shardings=[] (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the rule has 1 operand, the operation has 2}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the rule has 2 results, the operation has 1}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j],[i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the rule has 1 dimension for operand 0, which has 2}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i],[i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': operand 0: the factor k has no size}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k],[i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': no dimension has the factor k}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8, k=2}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': operand 0: the factor i is used twice}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i],[i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': operand 0: the factor k of size 1 is not alone in its dimension}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j],[ik, j])->([ik, j]) {i=8, j=8, k=1}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factor i is summed over, and a result has it}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} reduction={i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factor k has no size}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} reduction={k}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factors of a set are not in their order, or twice in it}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} reduction={i,i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factor i is of two kinds}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} reduction={i} need_replication={i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factors of a set are not in their order, or twice in it}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} need_replication={j,i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factors of a set are not in their order, or twice in it}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} blocked_propagation={j,i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factor k has no size}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} blocked_propagation={k}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the rule has 0 dimensions for operand 0, which has 2}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([],[])->([]) {}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factors of a set are not in their order, or twice in it}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, j]) {i=8, j=8} blocked_propagation={i,i}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.custom_call' op 'sdy.sharding_rule': a rule needs an operand or a result}}
stablehlo.custom_call @f() {has_side_effect=true,sdy.sharding_rule = #sdy.op_sharding_rule<()->() {}>} : () -> ()
%r = stablehlo.add %x, %x : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.sharding_rule': the factor k is summed over, and a result has it}}
%r = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j],[i, j])->([i, k]) {i=8, j=8, k=8} reduction={k}>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': the step 1 is negative, or there twice}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}]}, {step-1 = [{"b" = operand-0 -> [result-0]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': in step 1 "a" goes to a value twice}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-0]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': in step 1 "a" goes to a value twice}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = result-0 -> [operand-0, operand-0]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': there is no operand 2}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-2]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': there is no result 1}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-1]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': the operation has no sharding that the edges could be of}}
%r = stablehlo.add %x, %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': expected '#sdy.propagation_edges', is 64 : i64}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = 64} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.result_propagation_edges': expected a list, is 64 : i64}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.result_propagation_edges = 64} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'stablehlo.add' op 'sdy.propagation_edges': the mesh of the sharding has no axis "z"}}
%r = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"},{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"z" = operand-0 -> [result-0]}]}]>} : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

// Sizes of axes whose product is beyond 64 bits.
sdy.mesh @m = <["a"=4611686018427387904, "b"=4611686018427387904]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.manual_computation' op operand 0: the size 8 of dimension 0 is no multiple of 9223372036854775807}}
%r = sdy.manual_computation(%x) in_shardings=[<@m, [{"a", "b"}, {}]>] out_shardings=[<@m, [{"a", "b"}, {}]>] manual_axes={"a", "b"} (%y: tensor<8x8xf32>) { sdy.return %y : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

// Kinds of reduction, which jaxlib 0.10.2 does not have yet.
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced=max{"a"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op "a" is reduced by sum, and unreduced by max in the operand}}
%r = sdy.all_reduce {"a"} %x out_sharding=<@m, [{},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced=max{"a"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.reduce_scatter' op "a" is reduced by min, and unreduced by max in the operand}}
%r = sdy.reduce_scatter min [{"a"},{}] %x out_sharding=<@m, [{"a"},{}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}]>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.replicated_to_unreduced' op "a" becomes unreduced by max, which a sum alone can be}}
%r = sdy.replicated_to_unreduced {"a"} %x out_sharding=<@m, [{},{}], unreduced=max{"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced=max{"a"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.reshard' op "a" stays unreduced, by max before and by sum afterwards}}
%r = sdy.reshard %x <@m, [{},{}], unreduced={"a"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

// What the newest Shardy refuses and jaxlib 0.10.2 does not: summands that a reduction would make.
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced={"a"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.all_reduce' op "b" is unreduced in the result, and not in the operand}}
%r = sdy.all_reduce {"a"} %x out_sharding=<@m, [{},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{},{}], unreduced={"a"}>}) -> tensor<8x8xf32> {
// expected-error@+1 {{'sdy.reduce_scatter' op "b" is unreduced in the result, and not in the operand}}
%r = sdy.reduce_scatter [{"a"}, {}] %x out_sharding=<@m, [{"a"},{}], unreduced={"b"}> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// expected-error@+1 {{expected a priority such as 'p1'}}
%r = sdy.sharding_constraint %x <@m, [{"a"}p01, {}]> : tensor<8x8xf32>
return %r : tensor<8x8xf32>
}
