"""The programs of `examples/jax` give on the plugin what they give on XLA:CPU."""

import importlib
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "examples/jax"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
# Relative to the largest number of a program: sums in single precision are added up in another order, and a sampler goes on from them.
TOLERANCE = 1e-4


def results():
    sys.path.insert(0, str(FOLDER))
    return {name: importlib.import_module(name).main() for name in NAMES}


def main():
    if sys.argv[1:] == ["results"]:
        print(json.dumps(results()))
        return
    # Beside each other, each in a process of its own.
    started = {
        platform: subprocess.Popen(
            [sys.executable, __file__, "results"], env=os.environ | {"JAX_PLATFORMS": platform}, stdout=subprocess.PIPE, text=True
        )
        for platform in ("cpu", "mapwright")
    }
    said = {platform: process.communicate()[0] for platform, process in started.items()}
    assert all(process.returncode == 0 for process in started.values())
    expected, found = (json.loads(said[platform]) for platform in ("cpu", "mapwright"))
    assert len(NAMES) >= 4 and found.keys() == expected.keys()
    for name in NAMES:
        assert len(found[name]) == len(expected[name])
        scale = max(map(abs, expected[name]))
        worst = max(abs(a - b) for a, b in zip(found[name], expected[name]))
        assert worst <= TOLERANCE * scale, f"{name}: {found[name]} instead of {expected[name]}"
        print(f"{name}: {len(found[name])} numbers, differs by {worst / scale:.1e}")
    print("passed")


if __name__ == "__main__":
    main()
