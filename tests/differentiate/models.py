"""Whole models out of a Python file that has a table `P` of functions, with the shapes of their arguments: `compare.py --models`, and the bench."""

import importlib.util
import pathlib
import sys

import numpy as np

NAMES = ["encoder_block_512", "resnet18_224", "lstm_scan_256", "mlp_mnist_b128"]


def load(path):
    """The table of the file."""
    path = pathlib.Path(path)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("models_of_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def model(module, name, real, rng):
    """A function and its arguments, of an element type."""
    entry = module.P[name]
    module.F = real
    arguments = []
    for i, spec in enumerate(entry["args"]):
        how = entry["gens"].get(i, {})
        if how.get("kind") == "uniform":
            values = rng.uniform(how["lo"], how["hi"], spec.shape)
        elif how.get("kind") == "const":
            values = np.full(spec.shape, how["value"])
        else:
            values = how.get("mean", 0.0) + how.get("scale", 1.0) * rng.standard_normal(spec.shape)
        arguments.append(np.asarray(values, dtype=real))
    return entry["f"], arguments
