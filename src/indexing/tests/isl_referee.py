"""Random maps and their simplified forms, compared as integer relations by isl.

    python3 isl_referee.py [--maps N] [--seed S] [--command COMMAND]

isl decides for all points at once whether two maps relate the same dimensions to the same results; range and runtime variables are
quantified, so it does not matter which of them are left. COMMAND reads lines of JSON, `{"map": …}`, and answers each with the
simplified map; the default is the example `maps` of this crate. Half of the maps are chains of operations (`benches/corpus.py`), half
are random expressions with constraints. A map on which isl needs too many steps is undecided and counted; one that differs ends in
exit code 1. Without islpy (`pip install islpy`) nothing is compared, and that is said.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

CRATE = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(CRATE / "corpus"), str(CRATE / "benches")]

import corpus  # noqa: E402
import grammar  # noqa: E402

# Steps of isl on one map, after which the map is undecided.
STEPS = 2_000_000
# What may be undecided of a hundred maps.
UNDECIDED = 5


def expression(r, variables, depth):
    if depth == 0 or r.random() < 0.2:
        return r.choice(variables) if r.random() < 0.85 else str(r.randint(-9, 9))
    x = expression(r, variables, depth - 1)
    kind = r.randrange(10)
    number = r.choice([2, 2, 3, 4, 5, 6, 8, 12])
    if kind < 4:
        return f"(({x}) * {r.choice([1, 1, 2, 3, -1, -2])} + {expression(r, variables, depth - 1)})"
    if kind < 6:
        return f"(({x}) floordiv {number})"
    if kind < 9:
        return f"(({x}) mod {number})"
    return f"(({x}) ceildiv {number})"


def random_map(r):
    dims = [f"d{i}" for i in range(r.randint(1, 3))]
    ranges = [f"s{i}" for i in range(r.randint(0, 2))]
    variables = dims + ranges
    results = [expression(r, variables, 3) for _ in range(r.randint(1, 2))]
    domain = []
    for v in variables:
        low = r.choice([0, 0, 0, -5, 2])
        domain.append(f"{v} in [{low}, {low + r.randint(0, 20)}]")
    for _ in range(r.choice([0, 0, 1, 2])):
        low = r.randint(-6, 9)
        domain.append(f"{expression(r, variables, 2)} in [{low}, {low + r.randint(0, 12)}]")
    symbols = f"[{', '.join(ranges)}]" if ranges else ""
    return f"({', '.join(dims)}){symbols} -> ({', '.join(results)}), domain: {', '.join(domain)}"


def isl_text(e):
    """An expression in isl's notation."""
    if e[0] in ("const", "var"):
        return f"({e[1]})" if e[0] == "const" else e[1]
    x, y = isl_text(e[1]), isl_text(e[2])
    if e[0] in ("min", "max"):
        return f"{e[0]}({x}, {y})"
    if e[0] == "+":
        return f"({x} + {y})"
    n = e[2][1]
    if e[0] == "*":
        return f"({n} * {x})"
    if e[0] == "mod":
        return f"({x} mod {abs(n)})"
    # -n divides -x as n divides x.
    x = x if n > 0 else f"(-{x})"
    return f"floor({x} / {abs(n)})" if e[0] == "floordiv" else f"(-floor((-{x}) / {abs(n)}))"


def relation(text, dims, results):
    """The relation of dimensions and results as isl reads it."""
    names = [f"r{i}" for i in range(results)]
    head = f"[{', '.join(dims)}] -> [{', '.join(names)}]"
    if text == "KNOWN EMPTY":
        return f"{{ {head} : false }}"
    m = grammar.Map(text)
    assert m.dims == dims and len(m.results) == results, text
    terms = [f"{low} <= {name} <= {high}" for name, (low, high) in m.bounds.items()]
    terms += [f"{low} <= {isl_text(e)} <= {high}" for e, low, high in m.constraints]
    terms += [f"{name} = {isl_text(e)}" for name, e in zip(names, m.results)]
    body = " and ".join(terms) or "true"
    bound = m.ranges + m.runtime
    return f"{{ {head} : {f'exists ({chr(44).join(bound)} : {body})' if bound else body} }}"


def same(isl, given, simplified):
    """Whether two maps are the same relation; None if isl does not decide it in time."""
    context = isl.Context()
    context.set_max_operations(STEPS)
    m = grammar.Map(given)
    try:
        first, second = (
            isl.Map.read_from_str(context, relation(text, m.dims, len(m.results)))
            for text in (given, simplified)
        )
        return first.is_equal(second)
    except isl.Error as e:
        if "max_operations" in str(e) or "quota" in str(e):
            return None
        raise


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--maps", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--command")
    options = arguments.parse_args()
    try:
        import islpy as isl
    except ImportError:
        print("skipped: islpy is not installed")
        return 0
    r = random.Random(options.seed)
    maps = [corpus.one(r) if i % 2 else random_map(r) for i in range(options.maps)]
    maps = [m for m in maps if len(m) < 1500]
    command = options.command or "cargo run -q --release -p mapwright-indexing --features commands --example maps -- simplify --json"
    lines = "".join(json.dumps({"map": m}) + "\n" for m in maps)
    run = subprocess.run(
        command, shell=True, cwd=CRATE, input=lines, stdout=subprocess.PIPE, text=True, check=True
    )
    answers = [json.loads(line)["map"] for line in run.stdout.splitlines()]
    assert len(answers) == len(maps), f"{len(maps)} maps, {len(answers)} answers"
    counts = {True: 0, False: 0, None: 0}
    for given, simplified in zip(maps, answers):
        answer = same(isl, given, simplified)
        counts[answer] += 1
        if answer is False:
            print(f"different:\n  {given}\n  {simplified}")
    print(
        f"{len(maps)} maps of seed {options.seed}: {counts[True]} the same, {counts[False]} different, {counts[None]} undecided"
    )
    too_few = counts[None] * 100 > UNDECIDED * len(maps)
    return 1 if counts[False] or too_few else 0


if __name__ == "__main__":
    sys.exit(main())
