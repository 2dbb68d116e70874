#!/usr/bin/env python3
"""How far the records that tests/conformance.rs lists as known, and our results, are from the exact values.

    python3 src/native/tests/known.py        needs numpy and mpmath, a release build, and the shared data

Prints, for each of the three programs, in how many elements the two are more than 3 ULP (1e-3 for the power) apart, which of them is nearer to
the exact value there, and the greatest distances of both from it.
"""

import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np
from mpmath import mp, mpc, mpf

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = pathlib.Path(os.environ.get("MAPWRIGHT_SHARED", ROOT.parent / "shared"))
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
MAPWRIGHT = os.environ.get("MAPWRIGHT", str(TARGET / "release" / "mapwright"))
mp.dps = 50


def results(name):
    """Ours, the record and the inputs: the program without its check, returning all of them."""
    text = (SHARED / "conformance" / "programs" / f"{name}.mlir").read_text()
    check = re.search(r"custom_call @check\.\w+\(%(\d+), %(\d+)\).*?: \((.*?)\) -> \(\)", text)
    call = re.search(r"%\d+(?::(\d+))? = call @inputs\(\) : \(\) -> (.*)", text)
    count = int(call.group(1) or 1)
    values = [f"%{check.group(1)}", f"%{check.group(2)}"] + (["%0"] if count == 1 else [f"%0#{i}" for i in range(count)])
    types = check.group(3).split(", ") + (call.group(2).strip("() ").split(", ") if count > 1 else [call.group(2).strip()])
    text = re.sub(r" *stablehlo\.custom_call @check.*\n", "", text)
    text = re.sub(r"(func\.func public @main\(\) -> ).*?\{\n", lambda m: f"{m.group(1)}({', '.join(types)}) {{\n", text, count=1)
    text = re.sub(r" *return .*\n", f"    return {', '.join(values)} : {', '.join(types)}\n", text, count=1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "p.mlir")
        path.write_text(text)
        subprocess.run([MAPWRIGHT, "run", path, "--output-dir", folder], check=True)
        return [np.load(pathlib.Path(folder, f"out{i}.npy")) for i in range(len(values))]


def wide(x):
    """A number of many digits as two, which is what a long double holds."""
    return np.longdouble(float(x)) + np.longdouble(float(x - mpf(float(x))))


def places(x):
    """Numbers of a format in their order."""
    signed = x.view({4: np.int32, 8: np.int64}[x.itemsize])
    return np.where(signed < 0, np.iinfo(signed.dtype).min - signed, signed).astype(np.longdouble)


def report(name, ours, record, exact):
    apart = np.abs(places(ours) - places(record)) > 3
    unit = np.spacing(np.abs(exact.astype(ours.dtype))).astype(np.longdouble)
    error = [np.abs(x.astype(np.longdouble) - exact) for x in (ours, record)]
    print(f"{name}: {apart.sum()} of {ours.size} elements are more than 3 ULP apart")
    print(f"  of these ours is nearer in {(error[0] < error[1])[apart].sum()}, the record in {(error[1] < error[0])[apart].sum()}")
    for who, e in zip(("ours", "the record"), error):
        units = e / unit
        print(f"  {who}: up to {float(units.max()):.1f} ULP, {(units > 3).sum()} beyond 3, root mean square {float(np.sqrt((e**2).mean())):.3g}")


def transform():
    ours, record, x = results("fft_complex128_14_15_16_17")
    n = 33
    cosines = [wide(mp.cos(2 * mp.pi * k / n)) for k in range(n)]
    sines = [wide(mp.sin(2 * mp.pi * k / n)) for k in range(n)]
    real, imag = (part.astype(np.longdouble).reshape(-1, 17) for part in (x.real, x.imag))
    exact = np.zeros((real.shape[0], n), dtype=np.longdouble)
    for j in range(n):
        terms = sum(real[:, k] * cosines[j * k % n] - imag[:, k] * sines[j * k % n] for k in range(1, 17))
        exact[:, j] = (real[:, 0] + 2 * terms) / n
    # Where terms cancel 64 bits are too few: these elements in 50 digits.
    ours = ours.reshape(-1, n)
    unsure = np.abs(ours.astype(np.longdouble) - exact) > 0.51 * np.spacing(np.abs(exact.astype(np.float64)))
    turns = [(mp.cos(2 * mp.pi * k / n), mp.sin(2 * mp.pi * k / n)) for k in range(n)]
    for row, j in zip(*np.nonzero(unsure)):
        terms = mpf(float(real[row, 0])) / 2
        for k in range(1, 17):
            cos, sin = turns[j * k % n]
            terms += mpf(float(real[row, k])) * cos - mpf(float(imag[row, k])) * sin
        exact[row, j] = wide(2 * terms / n)
    report("fft", ours, record.reshape(-1, n), exact)


def solve():
    ours, record, a, b = results("triangular_solve_float32_2_8_8_float32_2_10_8")
    exact = np.zeros(b.shape, dtype=np.longdouble)
    for batch, row in np.ndindex(*b.shape[:2]):
        x = []
        for j in range(8):
            known = sum((x[k] * mpf(float(a[batch, k, j])) for k in range(j)), mpf(0))
            x.append((mpf(float(b[batch, row, j])) - known) / mpf(float(a[batch, j, j])))
        exact[batch, row] = [wide(v) for v in x]
    report("triangular_solve", ours, record, exact)


def power():
    found = [part.ravel() for part in results("pow_complex64_20_30_complex64_20_30")]
    count = worse = off = 0
    errors = [0.0, 0.0]
    for ours, record, x, y in zip(*found):
        if max(abs(ours.real - record.real), abs(ours.imag - record.imag)) <= 1e-3:
            continue
        exact = mp.exp(mpc(complex(y)) * mp.log(mpc(complex(x))))
        one, two = (abs(mpc(complex(v)) - exact) / abs(exact) for v in (ours, record))
        count += 1
        worse += one > two
        off += max(abs(mpf(float(record.real)) - exact.real), abs(mpf(float(record.imag)) - exact.imag)) > 1e-3
        errors = [max(errors[0], one), max(errors[1], two)]
    print(f"power: {count} elements are more than 1e-3 apart; the record is off by more than that in {off}, ours is the worse in {worse}")
    print(f"  greatest relative error: ours {float(errors[0]):.2g}, the record {float(errors[1]):.2g}")


transform()
solve()
power()
