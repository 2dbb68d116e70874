"""Exports functions and models of PyTorch by torch-xla, runs them with `mapwright run`, and compares with PyTorch.

    python tests/torch/export.py [--mapwright PROGRAM] [--only WORD,…] [--modes native,interpret] --folder FOLDER

Each case of `cases.py` is exported once; the folder keeps programs, arguments and what PyTorch computed, so that a second run does not need
it. What fails is printed with the first line of the reason; the exit code is 1 then. Needs `torch` and `torch_xla` of one version.
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
    """Writes the program, the arguments in its order (weights are arguments too), and the results."""
    import torch
    from torch_xla.stablehlo import VariableType, exported_program_to_stablehlo

    class Wrapped(torch.nn.Module):
        def forward(self, *arguments):
            return function(*arguments)

    module = function if isinstance(function, torch.nn.Module) else Wrapped()
    exported = torch.export.export(module.eval(), arguments)
    program = exported_program_to_stablehlo(exported)
    folder.mkdir(parents=True, exist_ok=True)
    bundle = program._bundle
    meta = bundle.stablehlo_funcs[0].meta
    for i, place in enumerate(meta.input_locations):
        if place.type_ == VariableType.INPUT_ARG:
            value = stored(arguments[place.position])
        elif place.type_ == VariableType.PARAMETER:
            value = bundle.state_dict[place.name]
        else:
            value = bundle.additional_constants[place.position]
        numpy.save(folder / f"arg{i}.npy", numpy.asarray(value))
    expected = module(*arguments)
    expected = expected if isinstance(expected, (tuple, list)) else [expected]
    for i, value in enumerate(expected):
        numpy.save(folder / f"expected{i}.npy", stored(value))
    (folder / "program.mlir").write_text(program.get_stablehlo_text(meta.name))


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
    command = [mapwright, "run", folder / "program.mlir", "--inputs", folder, "--output-dir", results]
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
    parser.add_argument("--only", default="")
    parser.add_argument("--modes", default="native,interpret")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    options = parser.parse_args()
    only = [word for word in options.only.split(",") if word]
    index = options.folder / "cases.json"
    refused = {}
    if index.exists():
        names = json.loads(index.read_text())
    else:
        import torch
        import cases

        torch.manual_seed(0)
        names = []
        for name, function, arguments in [*cases.functions(), *(("model_" + n, f, a) for n, f, a in cases.models())]:
            try:
                prepare(name, function, arguments, options.folder / name)
                names.append(name)
            except Exception as error:  # torch-xla's own limits
                refused[name] = traceback.format_exception_only(error)[-1].splitlines()[0]
        index.write_text(json.dumps(names))
    failed = {}
    for name in names:
        if only and not any(word in name for word in only):
            continue
        for mode in options.modes.split(","):
            if why := run(options.mapwright, options.folder / name, mode):
                failed[name, mode] = why
    for name, why in refused.items():
        print(f"not exported by torch-xla: {name}: {why[:160]}")
    for (name, mode), why in failed.items():
        print(f"{name} ({mode}): {why[:300]}")
    print(f"{len(names)} programs, {len({name for name, _ in failed})} wrong")
    sys.exit(1 if failed else 0)


main()
