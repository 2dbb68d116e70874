"""Small StableHLO programs for `bench.py`: one for each kind of region that code generation knows."""


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def main(inputs, results, body, values):
    arguments = ", ".join(f"%a{i}: {ty}" for i, ty in enumerate(inputs))
    types = ", ".join(results)
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}\n"


def elementwise(body, shape=(2048, 1024)):
    """`body` computes `%r` from `%a0` and `%a1`; `T` stands for their type."""
    ty = tensor(shape)
    return main([ty, ty], [ty], body.replace("T", ty), "%r")


def softmax(shape, axis):
    full, kept = tensor(shape), tensor([n for i, n in enumerate(shape) if i != axis])
    dims = [i for i in range(len(shape)) if i != axis]
    return main([full], [full], f"""
%ni = stablehlo.constant dense<0xFF800000> : tensor<f32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%m = stablehlo.reduce(%a0 init: %ni) applies stablehlo.maximum across dimensions = [{axis}] : ({full}, tensor<f32>) -> {kept}
%mb = stablehlo.broadcast_in_dim %m, dims = {dims} : ({kept}) -> {full}
%s = stablehlo.subtract %a0, %mb : {full}
%e = stablehlo.exponential %s : {full}
%t = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [{axis}] : ({full}, tensor<f32>) -> {kept}
%tb = stablehlo.broadcast_in_dim %t, dims = {dims} : ({kept}) -> {full}
%r = stablehlo.divide %e, %tb : {full}""", "%r")


def reduction(shape, axes):
    full, kept = tensor(shape), tensor([n for i, n in enumerate(shape) if i not in axes])
    return main([full], [kept], f"""
%z = stablehlo.constant dense<0.0> : tensor<f32>
%r = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = {axes} : ({full}, tensor<f32>) -> {kept}""", "%r")


def add_transpose(n):
    ty = tensor([n, n])
    return main([ty], [ty], f"""
%t = stablehlo.transpose %a0, dims = [1, 0] : ({ty}) -> {ty}
%r = stablehlo.add %a0, %t : {ty}""", "%r")


def window(shape, result, size, strides, padding, op, init):
    full, to = tensor(shape), tensor(result)
    pairs = ", ".join(f"[{a}, {b}]" for a, b in padding)
    numbers = lambda values: ", ".join(map(str, values))
    return main([full], [to], f"""
%i = stablehlo.constant dense<{init}> : tensor<f32>
%r = "stablehlo.reduce_window"(%a0, %i) <{{padding = dense<[{pairs}]> : tensor<{len(shape)}x2xi64>,
  window_dimensions = array<i64: {numbers(size)}>, window_strides = array<i64: {numbers(strides)}>}}> ({{
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %c = stablehlo.{op} %x, %y : tensor<f32>
  stablehlo.return %c : tensor<f32>
}}) : ({full}, tensor<f32>) -> {to}""", "%r")


def gather_rows(rows, columns, count):
    table, indices, to = tensor([rows, columns]), tensor([count, 1], "i32"), tensor([count, columns])
    return main([table, indices], [to], f"""
%r = "stablehlo.gather"(%a0, %a1) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
  start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, {columns}>}}>
  : ({table}, {indices}) -> {to}""", "%r")


def scatter_rows(rows, columns, count):
    table, indices, updates = tensor([rows, columns]), tensor([count, 1], "i32"), tensor([count, columns])
    return main([table, indices, updates], [table], f"""
%r = "stablehlo.scatter"(%a0, %a1, %a2) <{{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<
  update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}}> ({{
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32>
}}) : ({table}, {indices}, {updates}) -> {table}""", "%r")


def sort(shape, dimension):
    ty = tensor(shape)
    return main([ty], [ty], f"""
%r = "stablehlo.sort"(%a0) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}}) : ({ty}) -> {ty}""", "%r")


def matmul(m, k, n):
    left, right, to = tensor([m, k]), tensor([k, n]), tensor([m, n])
    return main([left, right], [to], f"""
%r = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({left}, {right}) -> {to}""", "%r")


def loop(count, size):
    ty = tensor([size])
    return main([ty], [ty], f"""
%zero = stablehlo.constant dense<0> : tensor<i32>
%end = stablehlo.constant dense<{count}> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%l:2 = stablehlo.while(%i = %zero, %x = %a0) : tensor<i32>, {ty}
cond {{
  %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}} do {{
  %n = stablehlo.add %i, %one : tensor<i32>
  %y = stablehlo.tanh %x : {ty}
  stablehlo.return %n, %y : tensor<i32>, {ty}
}}""", "%l#1")


def all():
    """The texts by name."""
    return {
        "chain": elementwise("%0 = stablehlo.multiply %a0, %a1 : T\n%1 = stablehlo.add %0, %a0 : T\n%r = stablehlo.maximum %1, %a1 : T"),
        "transcendental": elementwise("%0 = stablehlo.tanh %a0 : T\n%1 = stablehlo.exponential %a1 : T\n%2 = stablehlo.add %0, %1 : T\n%3 = stablehlo.multiply %2, %2 : T\n%r = stablehlo.log %3 : T"),
        "small_add": elementwise("%r = stablehlo.add %a0, %a1 : T", (8,)),
        "softmax_rows": softmax([1024, 1000], 1),
        "softmax_columns": softmax([1024, 1000], 0),
        "reduce_rows": reduction([2048, 2048], [1]),
        "reduce_columns": reduction([2048, 2048], [0]),
        "reduce_all": reduction([2048, 2048], [0, 1]),
        "add_transpose_2048": add_transpose(2048),
        "max_pool": window([8, 56, 56, 64], [8, 28, 28, 64], [1, 3, 3, 1], [1, 2, 2, 1], [(0, 0), (1, 1), (1, 1), (0, 0)], "maximum", "0xFF800000"),
        "prefix_sum": window([1024, 1024], [1024, 1024], [1, 1024], [1, 1], [(0, 0), (1023, 0)], "add", "0.0"),
        "gather_rows_512": gather_rows(20000, 512, 2048),
        "scatter_rows_512": scatter_rows(4096, 512, 1024),
        "sort_256k": sort([1 << 18], 0),
        "sort_rows": sort([512, 512], 1),
        "matmul_512": matmul(512, 512, 512),
        "loop_1000": loop(1000, 256),
    }
