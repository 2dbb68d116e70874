"""Functions and models of PyTorch, exported and run with `mapwright run`, called from Python, and as a backend of `torch.compile`.

    python tests/torch/export.py [--mapwright PROGRAM] [--lowering torch_xla|torchax] [--only WORD,…] [--modes native,interpret] --folder FOLDER

Each case of `cases.py` is exported once; the folder keeps programs, arguments and what PyTorch computed, so that a second run does not need
it; the modes `call`, `compile` and `train` (gradients of parameters and arguments) do. What fails is printed with the first line of the reason; the exit code is 1 then.
Needs the package `mapwright_hlo`, `torch`, and `torch_xla` or `torchax`.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import traceback

import numpy

# Products and sums in f32 add up in another order; what is compared is relative to the largest element.
TOLERANCE = 2e-5


def stored(tensor):
    """The tensor as `mapwright` writes it: bf16 as its bits."""
    import torch

    tensor = tensor.detach().cpu()
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def prepare(name, function, arguments, folder):
    """Writes the program, its arguments, and the results of PyTorch."""
    import mapwright_hlo as mw

    exported = mw.torch.export(function, *arguments)
    exported.save(folder, *arguments)
    for i, value in enumerate(flat(function(*arguments))):
        numpy.save(folder / f"expected{i}.npy", stored(value))


def flat(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def gradients(function, arguments):
    """Gradients of the sum of all floating results, by arguments and parameters."""
    import torch

    arguments = [one.detach().clone().requires_grad_(one.is_floating_point()) for one in arguments]
    results = [one for one in flat(function(*arguments)) if one.is_floating_point() and one.requires_grad]
    by = [one for one in arguments if one.requires_grad] + list(getattr(function, "parameters", list)())
    if not results:
        return []
    weighted = sum((one * torch.arange(one.numel()).reshape(one.shape).cos()).sum() for one in results)
    found = torch.autograd.grad(weighted, by, allow_unused=True)
    return [one for one in found if one is not None]


def through_python(function, arguments, mode):
    """What is wrong with results or gradients in this process, or nothing."""
    import mapwright_hlo as mw
    import torch

    torch._dynamo.reset()
    if mode == "call":
        expected, found = function(*arguments), mw.torch.export(function, *arguments)(*arguments)
    else:
        compiled = torch.compile(function, backend=mw.torch.backend, fullgraph=True)
        expected, found = (
            gradients(one, arguments) if mode == "train" else one(*arguments) for one in (function, compiled)
        )
    for i, (one, other) in enumerate(zip(flat(expected), flat(found), strict=True)):
        if one.dtype != other.dtype:
            return f"result {i}: {other.dtype}, not {one.dtype}"
        if why := differs(stored(other), stored(one)):
            return f"result {i}: {why}"
    return None


def differs(found, expected):
    """Why two arrays are not the same, or nothing."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, not {expected.shape}"
    if expected.dtype.kind != "f":
        return None if numpy.array_equal(found, expected) else "other elements"
    if numpy.array_equal(numpy.isnan(found), numpy.isnan(expected)):
        same = numpy.isnan(found) | (found == expected)
        with numpy.errstate(invalid="ignore"):
            error = numpy.where(same, 0, numpy.abs(found - expected))
        finite = numpy.abs(expected[numpy.isfinite(expected)])
        if error.max(initial=0) <= TOLERANCE * finite.max(initial=1e-30):
            return None
        return f"differs by {error.max()}"
    return "NaN elsewhere"


def run(mapwright, folder, mode):
    """What is wrong with the results of the program in `folder`, or nothing."""
    results = folder / mode
    command = [mapwright, "run", folder / "program.mlirbc", "--inputs", folder, "--output-dir", results]
    command += ["--interpret"] if mode == "interpret" else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.splitlines()[0] if done.stderr else f"exit code {done.returncode}"
    for file in sorted(folder.glob("expected*.npy")):
        found = results / file.name.replace("expected", "out")
        if not found.exists():
            return f"no {found.name}"
        expected = numpy.load(file)
        found = numpy.load(found)
        # torch-xla computes with 32-bit integers and booleans of its own where PyTorch has 64.
        if why := differs(found.astype(expected.dtype) if expected.dtype.kind != "f" else found, expected):
            return f"{file.name}: {why}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mapwright", default="target/release/mapwright")
    parser.add_argument("--lowering", choices=["torch_xla", "torchax"])
    parser.add_argument("--only", default="")
    parser.add_argument("--modes", default="native,interpret")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    options = parser.parse_args()
    only = [word for word in options.only.split(",") if word]
    if options.lowering:
        # The other one is as if it were not installed.
        sys.modules[{"torch_xla": "torchax", "torchax": "torch_xla"}[options.lowering]] = None
    modes = options.modes.split(",")
    index = options.folder / "cases.json"
    refused, all = {}, {}
    if not index.exists() or set(modes) - {"native", "interpret"}:
        import torch
        import cases

        torch.manual_seed(0)
        for name, function, arguments in [*cases.functions(), *(("model_" + n, f, a) for n, f, a in cases.models())]:
            # Nothing is left out at random.
            all[name] = function.eval() if isinstance(function, torch.nn.Module) else function, arguments
    if index.exists():
        names = json.loads(index.read_text())
    else:
        names = []
        for name, (function, arguments) in all.items():
            try:
                prepare(name, function, arguments, options.folder / name)
                names.append(name)
            except Exception as error:  # limits of what lowers
                refused[name] = traceback.format_exception_only(error)[-1].splitlines()[0]
        index.write_text(json.dumps(names))
    failed = {}
    for name in names:
        if only and not any(word in name for word in only):
            continue
        for mode in modes:
            try:
                in_python = mode in ("call", "compile", "train")
                why = through_python(*all[name], mode) if in_python else run(options.mapwright, options.folder / name, mode)
            except Exception as error:
                why = traceback.format_exception_only(error)[-1].splitlines()[0]
            if why:
                failed[name, mode] = why
    for name, why in refused.items():
        print(f"not exported: {name}: {why[:160]}")
    for (name, mode), why in failed.items():
        print(f"{name} ({mode}): {why[:300]}")
    print(f"{len(names)} programs, {len({name for name, _ in failed})} wrong")
    sys.exit(1 if failed else 0)


main()
