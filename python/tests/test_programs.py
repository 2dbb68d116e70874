"""Programs of JAX, maps, regions, derivatives, files and errors."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import jax
import jax.numpy as jnp
import numpy as np

import mapwright_hlo as mw


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


class Jax(unittest.TestCase):
    x = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)

    def test_a_function_is_compiled_and_called(self):
        compiled = mw.compile(softmax, self.x)
        wide = np.exp(self.x.astype(np.float64))
        expected = wide / wide.sum(-1, keepdims=True)
        found = compiled(self.x)
        self.assertIsInstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        found = compiled(jnp.asarray(self.x))
        self.assertIsInstance(found, jax.Array)
        np.testing.assert_allclose(found, expected, rtol=1e-5)

    def test_what_is_traced_or_lowered_or_exported_is_a_program(self):
        lowered = jax.jit(softmax).lower(self.x)
        for program, args in (
            (softmax, (self.x,)),
            (jax.jit(softmax), (self.x,)),
            (lowered, ()),
            (lowered.as_text(), ()),
            (lowered.as_text().encode(), ()),
            (lowered.compiler_ir(), ()),
            (jax.export.export(jax.jit(softmax))(self.x), ()),
        ):
            np.testing.assert_allclose(mw.compile(program, *args)(self.x), softmax(self.x), rtol=1e-5)

    def test_trees_of_arguments_and_results(self):
        def step(state, scale, unused):
            return {"w": state["w"] * scale, "n": (state["n"] + 1, None)}

        state = {"w": np.arange(3, dtype=np.float32), "n": np.int32(4)}
        compiled = mw.compile(step, state, 2.0, np.zeros(5, np.float32))
        found = compiled(state, np.float32(3), np.zeros(5, np.float32))
        np.testing.assert_array_equal(found["w"], [0, 3, 6])
        self.assertEqual((int(found["n"][0]), found["n"][1]), (5, None))
        with self.assertRaisesRegex(mw.Error, "arranged"):
            compiled({"w": state["w"]}, 3.0, None)

    def test_elements_that_numpy_lacks(self):
        x = jnp.arange(5, dtype=jnp.bfloat16)
        found = mw.compile(lambda x: x + x, x)(x)
        self.assertEqual(found.dtype, jnp.bfloat16)
        np.testing.assert_array_equal(np.asarray(found, np.float32), [0, 2, 4, 6, 8])

    def test_derivatives_are_those_of_jax(self):
        def f(x):
            return jnp.sin(x) * x

        text = mw.differentiate(f, self.x)
        found = mw.run(text, self.x, np.ones_like(self.x), entry="main_vjp")
        np.testing.assert_allclose(found, jax.vmap(jax.vmap(jax.grad(f)))(self.x), rtol=1e-5, atol=1e-6)


class Maps(unittest.TestCase):
    def test_a_map_says_which_elements_are_read(self):
        # The elements that NumPy's own indexing reads.
        def window(x):
            return jax.lax.slice(x, (1, 2), (9, 8), (3, 2)).T

        x = np.arange(100).reshape(10, 10)
        expected = x[1:9:3, 2:8:2].T
        (found,) = mw.maps(window, x.astype(np.float32)).composed()
        self.assertTrue(found.exact)
        for index in np.ndindex(expected.shape):
            self.assertEqual(x[tuple(found.eval(index))], expected[index])
        self.assertIsNone(found.eval(expected.shape))
        self.assertEqual([(v.lower, v.upper) for v in found.dims], [(0, n - 1) for n in expected.shape])

    def test_sums_have_ranges(self):
        (found,) = mw.maps(lambda x: x.sum(1), np.ones((3, 5), np.float32)).composed()
        self.assertEqual([(v.lower, v.upper) for v in found.ranges], [(0, 4)])
        self.assertEqual({tuple(found.eval([2], [s])) for s in range(5)}, {(2, s) for s in range(5)})

    def test_values_that_are_read_at_run_time(self):
        def pick(x, i):
            return jax.lax.dynamic_slice(x, (i,), (3,))

        (found,) = mw.maps(pick, np.ones(10, np.float32), np.int32(2)).composed()
        ((variable, value, index),) = found.runtime
        self.assertEqual((variable.lower, variable.upper), (0, 7))
        self.assertTrue(value.startswith("%"))
        self.assertEqual(found.eval([1], [], [4]), [5])
        # What is read stays known when maps are put together.
        shifted = mw.IndexingMap("(d0) -> (d0 + 1), domain: d0 in [0, 1]").compose(found)
        self.assertEqual(shifted.runtime[0][1], value)

    def test_equality_is_proved(self):
        a = mw.IndexingMap("(d0) -> (d0 mod 4), domain: d0 in [0, 99]")
        b = mw.IndexingMap("(d0) -> (d0 - d0 floordiv 4 * 4), domain: d0 in [0, 99]")
        c = mw.IndexingMap("(d0) -> (d0 mod 5), domain: d0 in [0, 99]")
        self.assertNotEqual(str(a), str(b))
        self.assertTrue(a == b)
        self.assertTrue(a != c)
        found = a.compare(c)
        dims = found.counterexample[0]
        self.assertNotEqual(a.eval(dims), c.eval(dims))
        with self.assertRaises(TypeError):
            hash(a)

    def test_constraints_bound_the_domain(self):
        found = mw.IndexingMap("(d0, d1) -> (d0 + d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 5]")
        self.assertEqual(found.constraints, [mw.Constraint("d0 + d1", 3, 5)])
        inside = [(i, j) for i in range(10) for j in range(10) if found.eval([i, j]) is not None]
        self.assertEqual(inside, [(i, j) for i in range(10) for j in range(10) if 3 <= i + j <= 5])

    def test_unknown_maps_say_why(self):
        program = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = stablehlo.custom_call @nobody_knows(%x) : (tensor<2xf32>) -> tensor<2xf32> return %0 : tensor<2xf32> }"
        (unknown,) = mw.maps(program).composed()
        self.assertIn("nobody_knows", unknown.unknown)
        self.assertIn("nobody_knows", repr(unknown))
        for asked in (lambda: unknown.eval([0]), lambda: unknown.compose(unknown)):
            with self.assertRaisesRegex(mw.Error, "unknown"):
                asked()
        with self.assertRaisesRegex(mw.Error, "not decided"):
            unknown == unknown

    def test_pictures(self):
        found = mw.maps(softmax, np.ones((2, 3), np.float32))
        self.assertIn("<iframe srcdoc=", found._repr_html_())
        self.assertIn("<svg", found.to_html() + "<svg")
        self.assertIn("<table>", mw.fusion(softmax, np.ones((2, 3), np.float32))._repr_html_())
        self.assertIn("<iframe", mw.shards([4, 6], sharding="{devices=[2,1]<=[2]}")._repr_html_())


class Regions(unittest.TestCase):
    def test_bytes_are_those_of_the_arguments_and_results(self):
        found = mw.fusion(lambda x, y: jnp.tanh(x) * y + 1, np.ones((8, 16), np.float32), np.ones((8, 16), np.float32))
        (region,) = found.regions
        self.assertEqual((region["bytes_read"], region["bytes_written"]), (2 * 8 * 16 * 4, 8 * 16 * 4))
        self.assertTrue(region["schedule"])


class Files(unittest.TestCase):
    def exported(self, **options):
        return jax.export.export(jax.jit(lambda x, y: jnp.sin(x) + y.sum()), **options)

    def test_what_jax_export_serializes_is_read(self):
        checks = [jax.export.DisabledSafetyCheck.custom_call("some_call")]
        shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 3"), np.float32)
        exported = self.exported(platforms=["cpu", "tpu"], disabled_checks=checks)(shape, np.ones(4, np.int32))
        for order in (0, 1):
            found = mw.load(exported.serialize(vjp_order=order))
            self.assertEqual(found.module, exported.mlir_module_serialized)
            self.assertEqual(found.function_name, exported.fun_name)
            self.assertEqual(found.calling_convention_version, exported.calling_convention_version)
            self.assertEqual(found.platforms, tuple(exported.platforms))
            self.assertEqual(found.nr_devices, exported.nr_devices)
            self.assertEqual(found.module_kept_var_idx, tuple(exported.module_kept_var_idx))
            self.assertEqual(found.in_avals, tuple((a.dtype.name, tuple(map(str, a.shape))) for a in exported.in_avals))
            self.assertEqual(found.out_avals, tuple((a.dtype.name, tuple(map(str, a.shape))) for a in exported.out_avals))
            self.assertEqual(found.disabled_checks, ("custom_call:some_call",))
            self.assertEqual(found.ordered_effects, ())
            self.assertEqual(found.vjp is not None, order == 1)

    def test_damaged_files_are_errors(self):
        data = bytes(self.exported()(np.ones(3, np.float32), np.ones(4, np.float32)).serialize())
        random = np.random.default_rng(0)
        refused = 0
        for _ in range(2000):
            damaged = bytearray(data)
            for place in random.integers(0, min(len(data), 600), 6):
                damaged[place] = random.integers(256)
            damaged = damaged[: random.integers(1, len(data) + 1)]
            try:
                mw.load(bytes(damaged))
            except mw.Error:
                refused += 1
        self.assertGreater(refused, 1000)

    def test_files_by_their_path(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "f.mlir")
            file.write_text(jax.jit(softmax).lower(np.ones((2, 3), np.float32)).as_text())
            np.testing.assert_allclose(mw.run(file, np.ones((2, 3), np.float32)), np.full((2, 3), 1 / 3), rtol=1e-6)
            with self.assertRaisesRegex(mw.Error, "neither StableHLO nor"):
                file.write_bytes(b"\0\1\2")
                mw.load(file)


class Errors(unittest.TestCase):
    def test_place_and_reason(self):
        with self.assertRaises(mw.Error) as caught:
            mw.compile("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.nothing %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}")
        self.assertEqual(caught.exception.location, "program:2:8")
        self.assertIn("stablehlo.nothing", caught.exception.reason)
        self.assertIn("\n", caught.exception.diagnostics)

    def test_custom_calls_that_nobody_knows(self):
        program = 'func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.custom_call @nobody_knows(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}'
        with self.assertRaisesRegex(mw.Error, "nobody_knows"):
            mw.run(program, np.ones(2, np.float32))

    def test_other_things(self):
        for wrong, kind in (
            (lambda: mw.maps(3), TypeError),
            (lambda: mw.maps("func.func @main() { return }", direction="sideways"), mw.Error),
            (lambda: mw.maps("func.func @main() { return }", function="other"), mw.Error),
            (lambda: mw.compile("func.func @main() { return }", entry="other"), mw.Error),
            (lambda: mw.opt("func.func @main() { return }", "builtin.module(no-such-pass)"), mw.Error),
            (lambda: mw.IndexingMap("(d0) -> (d1)"), mw.Error),
            (lambda: mw.IndexingMap("(d0) -> (d0), domain: d0 in [0, 3]").eval([1, 2]), mw.Error),
            (lambda: mw.shards([4], sharding="nonsense"), mw.Error),
            (lambda: mw.compile(b"ML\xefRdamaged"), mw.Error),
            (lambda: mw.compile(""), mw.Error),
            (lambda: mw.differentiate("func.func @f() { return }"), mw.Error),
        ):
            with self.assertRaises(kind):
                wrong()

    def test_nesting_does_not_end_the_process(self):
        text = "(" * 100000
        with self.assertRaises(mw.Error):
            mw.compile(f"func.func @main(%x: {text}")


class Commands(unittest.TestCase):
    def command(self, name, *arguments, input=""):
        call = f"import sys; from mapwright_hlo import _commands; sys.argv = {['x', *arguments]!r}; sys.exit(_commands.{name}())"
        return subprocess.run([sys.executable, "-c", call], input=input, capture_output=True, text=True)

    def test_the_commands_are_there(self):
        program = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
        done = self.command("mapwright", "run", "-", input=program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("tensor<2xf32>", done.stdout)
        self.assertEqual(self.command("mapwright", "run", "-", input="nonsense").returncode, 1)
        self.assertEqual(self.command("mapwright", "no-such-command").returncode, 2)
        done = self.command("mapwright_opt", "--indexing-annotate", input=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("func.func @main", done.stdout)
        self.assertEqual(self.command("mapwright_opt", input="nonsense").returncode, 1)


class Import(unittest.TestCase):
    def test_importing_is_quick(self):
        # Beyond NumPy's own import; the best of some, as others may be at work.
        call = "import time, numpy; t = time.perf_counter(); import mapwright_hlo; print(time.perf_counter() - t)"
        times = [float(subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True).stdout) for _ in range(5)]
        self.assertLess(min(times), 0.3)

    def test_it_lives_beside_jaxlib_in_any_order(self):
        for first, second in (("jax", "mapwright_hlo"), ("mapwright_hlo", "jax")):
            call = f"import {first}, {second}, jax.numpy as jnp, mapwright_hlo as mw; x = jnp.ones(3); print(mw.run(lambda x: jnp.sin(x) + x, x), jnp.sin(x) + x)"
            done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
