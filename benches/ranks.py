"""Speed of divided programs on several processes, beside one, beside the model of `mapwright shards --plan`, and of collectives beside MPI's.

    python benches/ranks.py [--mapwright PROGRAM] [--ranks 2,4] [--seconds S] [--folder FOLDER]

A data-parallel training step of an MLP and one of ResNet-18, as JAX writes them (`jax[cpu]` exports them; the folder keeps them), with one thread a
rank: least time on one rank over that on several, and what the plan predicts over what was measured. What the model needs is measured here, too:
the latency and the bandwidth by all-reduces of 4 bytes and of 4 MB, the bandwidth of memory by a program that only moves, and the program on one device by as many
processes at the same time as there are ranks, which share the processors as these do. Where `mpicc` works, the all-reduces are compared with MPI's own.
Each step is also measured with all-reduces beside what does not wait for them, which takes a processor that computes nothing.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ALL_REDUCES = [(1, 1000), (1024, 1000), (1 << 20, 20)]

MPI_ALL_REDUCE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int count = atoi(argv[1]), times = atoi(argv[2]), rank;
  double best = 1e9;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  float *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to);
  for (int run = 0; run < 30; run++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
      MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double seconds = (MPI_Wtime() - start) / times;
    best = seconds < best ? seconds : best;
  }
  if (rank == 0) printf("%.9g\\n", best);
  MPI_Finalize();
}
"""


def all_reduces(count, times, ranks):
    """A program that adds up tensors of so many numbers so often, one after the other."""
    tensor, group = f"tensor<{count}xf32>", list(range(ranks))
    return f"""sdy.mesh @mesh = <["x"={ranks}]>
func.func @main(%a: {tensor}) -> {tensor} {{
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{}}]>] out_shardings=[<@mesh, [{{}}]>] manual_axes={{"x"}} (%p: {tensor}) {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %times = stablehlo.constant dense<{times}> : tensor<i32>
    %o:2 = stablehlo.while(%i = %zero, %v = %p) : tensor<i32>, {tensor}
    cond {{
      %c = stablehlo.compare LT, %i, %times : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %s = "stablehlo.all_reduce"(%v) <{{replica_groups = dense<[{group}]> : tensor<1x{ranks}xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }}) : ({tensor}) -> {tensor}
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %s : tensor<i32>, {tensor}
    }}
    sdy.return %o#1 : {tensor}
  }} : ({tensor}) -> {tensor}
  return %r : {tensor}
}}
"""


MOVED = 1 << 24
MOVES = f"""func.func @main(%a: tensor<{MOVED}xf32>) -> tensor<{MOVED}xf32> {{
  %0 = stablehlo.negate %a : tensor<{MOVED}xf32>
  return %0 : tensor<{MOVED}xf32>
}}
"""


def training_steps(ranks):
    """Texts of the programs for so many devices, by name."""
    import jax
    import jax.numpy as jnp
    import numpy
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(numpy.array(jax.devices()[:ranks]), ("data",))
    whole, split = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ((), ("data",)))
    tensor = lambda shape, kind=jnp.float32, placed=whole: jax.ShapeDtypeStruct(shape, kind, sharding=placed)

    def text(loss, shapes, *batch):
        parameters = jax.tree.map(tensor, shapes, is_leaf=lambda s: isinstance(s, tuple))

        def step(parameters, *batch):
            value, gradients = jax.value_and_grad(loss)(parameters, *batch)
            return value, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)

        results = (whole, jax.tree.map(lambda _: whole, parameters))
        return jax.jit(step, out_shardings=results).lower(parameters, *batch).as_text()

    def mlp(parameters, x, y):
        for weights, bias in parameters[:-1]:
            x = jax.nn.relu(x @ weights + bias)
        weights, bias = parameters[-1]
        return jnp.mean((x @ weights + bias - y) ** 2)

    def convolution(x, kernel, stride=1):
        return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def normalized(x, scale):
        mean = x.mean((0, 1, 2))
        variance = ((x - mean) ** 2).mean((0, 1, 2))
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale[0] + scale[1]

    stages = [(64, 1), (128, 2), (256, 2), (512, 2)]
    norm = lambda features: [(features,), (features,)]
    shapes = {"stem": (7, 7, 3, 64), "stem norm": norm(64), "head": (512, 100)}
    blocks = []
    before = 64
    for stage, (features, stride) in enumerate(stages):
        for block in range(2):
            own = {"first": (3, 3, before, features), "first norm": norm(features)}
            own |= {"second": (3, 3, features, features), "second norm": norm(features)}
            if before != features:
                own |= {"shortcut": (1, 1, before, features), "shortcut norm": norm(features)}
            shapes[f"{stage}.{block}"] = own
            blocks.append((f"{stage}.{block}", stride if block == 0 else 1))
            before = features

    def resnet(parameters, x, y):
        x = jax.nn.relu(normalized(convolution(x, parameters["stem"], 2), parameters["stem norm"]))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for name, stride in blocks:
            own = parameters[name]
            inner = jax.nn.relu(normalized(convolution(x, own["first"], stride), own["first norm"]))
            inner = normalized(convolution(inner, own["second"]), own["second norm"])
            if "shortcut" in own:
                x = normalized(convolution(x, own["shortcut"], stride), own["shortcut norm"])
            x = jax.nn.relu(inner + x)
        scores = jax.nn.log_softmax(x.mean((1, 2)) @ parameters["head"])
        return -jnp.mean(jnp.take_along_axis(scores, y[:, None], 1))

    layers = [(784, 1024), (1024, 1024), (1024, 10)]
    return {
        "mlp": text(mlp, [[shape, (shape[1],)] for shape in layers], tensor((1024, 784), placed=split), tensor((1024, 10), placed=split)),
        "resnet18": text(resnet, shapes, tensor((32, 64, 64, 3), placed=split), tensor((32,), jnp.int32, split)),
    }


class Measure:
    """Runs programs and gives their least seconds."""

    def __init__(self, mapwright, seconds, folder):
        self.mapwright, self.seconds, self.folder = mapwright, seconds, folder
        self.environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def mpirun(self, ranks, words):
        """What `mpirun` prints of so many processes."""
        # Open MPI takes no more processes than processors unasked, and binds those that it takes.
        is_open = "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
        more = ["--oversubscribe"] if is_open and ranks > (os.cpu_count() or 1) else []
        run = subprocess.run(["mpirun", *more, "-n", str(ranks), *words], env=self.environment, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}\n{run.stderr}")
        return run.stdout

    def run(self, program, ranks, *options):
        """Least seconds of a program: of one process, or of all ranks together."""
        words = [self.mapwright, "run", program, "--threads", "1", f"--bench={self.seconds}", "--json", *options]
        out = self.mpirun(ranks, words) if ranks > 1 else subprocess.run(words, capture_output=True, text=True, check=True).stdout
        return json.loads(out)["min_ms"] / 1000

    def alone(self, program, at_once):
        """Least seconds of a program on one device, while so many processes run it: the mean over these."""
        words = [self.mapwright, "run", program, "--threads", "1", f"--bench={self.seconds}", "--json"]
        runs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(at_once)]
        return sum(json.loads(run.communicate()[0])["min_ms"] for run in runs) / 1000 / at_once

    def plan(self, program, **numbers):
        options = [word for name, value in numbers.items() for word in (f"--{name.replace('_', '-')}", repr(value))]
        run = subprocess.run([self.mapwright, "shards", "--plan", program, "--json", *options], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mapwright", default="target/release/mapwright")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder or tempfile.mkdtemp(prefix="mapwright-ranks-"))
    folder.mkdir(parents=True, exist_ok=True)
    ranks = [int(word) for word in arguments.ranks.split(",")]
    measure = Measure(pathlib.Path(arguments.mapwright).resolve(), arguments.seconds, folder)
    sizes = [1, *ranks]
    if not all((folder / f"resnet18.{n}.mlir").exists() for n in sizes):
        os.environ |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={max(sizes)}"}
        for n in sizes:
            for name, text in training_steps(n).items():
                measure.file(f"{name}.{n}.mlir", text)
    theirs = folder / "mpi-all-reduce"
    source = measure.file("all-reduce.c", MPI_ALL_REDUCE)
    compiled = shutil.which("mpicc") and subprocess.run(["mpicc", "-O2", source, "-o", theirs], capture_output=True).returncode == 0
    if not compiled:
        print("mpicc compiles nothing here: MPI's own all-reduces are left out")
    for n in ranks:
        print(f"{n} ranks")
        seconds = {}
        for count, times in ALL_REDUCES:
            program = measure.file(f"all-reduce.{count}.{n}.mlir", all_reduces(count, times, n))
            seconds[count] = measure.run(program, n) / times
            line = f"  all-reduce of {4 * count} bytes: {seconds[count] * 1e6:.2f} us"
            if compiled:
                own = float(measure.mpirun(n, [theirs, str(count), str(times)]))
                line += f", MPI's {own * 1e6:.2f} us: {own / seconds[count]:.2f} of its speed"
            print(line)
        # An all-reduce of n devices has 2 log2 n rounds, rounded up, and sends 2 (n - 1) / n of its bytes.
        smallest, largest = ALL_REDUCES[0][0], ALL_REDUCES[-1][0]
        rounds = 2 * (n - 1).bit_length()
        bandwidth = 2 * (n - 1) / n * 4 * largest / (seconds[largest] - seconds[smallest])
        moving = measure.alone(measure.file("moves.mlir", MOVES), n)
        machine = {"latency": seconds[smallest] / rounds, "bandwidth": bandwidth, "memory_bandwidth": 8 * MOVED / moving}
        for name in ("mlp", "resnet18"):
            one = measure.run(folder / f"{name}.1.mlir", 1)
            shared = measure.alone(folder / f"{name}.1.mlir", n)
            program = folder / f"{name}.{n}.mlir"
            measured = measure.run(program, n, "--overlap=off")
            plan = measure.plan(program, one_device=shared, **machine)
            predicted = plan["communication_seconds"] + plan["computation_seconds"]
            beside = measure.run(program, n, "--overlap=on")
            print(f"  {name}: one rank {one * 1e3:.1f} ms, {n} ranks {measured * 1e3:.1f} ms, {one / measured:.2f} times as fast; "
                  f"predicted {predicted * 1e3:.1f} ms, {predicted / measured:.2f} of what was measured; all-reduces beside the rest {beside * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
