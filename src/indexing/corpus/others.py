"""Records beside each map what other simplifiers reach: upstream's `simplifyAffineMap` and TVM.

    python3 others.py maps.jsonl > NEW && mv NEW maps.jsonl

Needs `mlir-opt` of LLVM 22 (option --mlir-opt) and the Python package apache-tvm (0.27); neither is needed to build or test.

Upstream: the results and the constraint expressions of a map become one `affine_map` in an attribute, and
`--affine-simplify-structures`, which calls `simplifyAffineMap` on every such attribute, is run on all of them. It knows no ranges.
It cannot hold minima and maxima, and its flattening crashes on negative divisors: such maps have no count of upstream.

TVM: `tvm` is `Analyzer.simplify` with every variable bound to its range and the constraints assumed; `tvm_iter` is
`iter_map_simplify` with the constraints as predicate and without a check of surjectivity, then the former.

`ops_left` counts the operations of the results, as `IndexingMap::operation_count` does, `constraints_left` the constraints that did
not become true. `wrong` names whoever gave results that differ on the domain: every answer is evaluated at points of the domain, and
a wrong one has no counts.
"""

import argparse
import itertools
import json
import random
import re
import subprocess
import sys

from grammar import Map, Reader, evaluate, negated, operations, show, walk

POINTS = 400


def points(m):
    """Points of the domain: all of a small box, else random ones and corners."""
    bounds = [m.bounds[v] for v in m.names]
    size = 1
    for low, high in bounds:
        size *= max(high - low + 1, 0)
    r = random.Random(1)
    if size <= 20 * POINTS:
        candidates = itertools.product(*(range(low, high + 1) for low, high in bounds))
    else:
        pick = lambda low, high: r.choice([low, high, r.randint(low, high), r.randint(low, high)])
        candidates = (tuple(pick(*b) for b in bounds) for _ in range(20 * POINTS))
    found = []
    for values in candidates:
        point = dict(zip(m.names, values))
        if all(low <= evaluate(e, point) <= high for e, low, high in m.constraints):
            found.append(point)
    return r.sample(found, POINTS) if len(found) > POINTS else found


def counts(m, results, constraints):
    """What is left, or nothing if an answer is wrong."""
    for point in points(m):
        for old, new in zip(m.results, results):
            if evaluate(old, point) != evaluate(new, point):
                return None
    return sum(map(operations, results)), len(constraints)


def upstream(maps, mlir_opt):
    """The simplified results and constraint expressions of every map that upstream can hold."""
    lines, taken = ["func.func @maps() {"], []
    for i, m in enumerate(maps):
        expressions = m.results + [e for e, _, _ in m.constraints]
        nodes = [n for e in expressions for n in walk(e)]
        if any(n[0] in ("min", "max") for n in nodes) or any(
            n[0] in ("floordiv", "ceildiv", "mod") and (n[2][0] != "const" or n[2][1] <= 0) for n in nodes
        ):
            continue
        rename = {v: f"d{k}" for k, v in enumerate(m.dims)} | {v: f"s{k}" for k, v in enumerate(m.ranges + m.runtime)}
        text = ", ".join(re.sub(r"[A-Za-z_]\w*", lambda w: rename.get(w[0], w[0]), show(e)) for e in expressions)
        dims = ", ".join(f"d{k}" for k in range(len(m.dims)))
        symbols = ", ".join(f"s{k}" for k in range(len(m.ranges + m.runtime)))
        lines.append(f'  "map.at"() {{ index = {i}, map = affine_map<({dims})[{symbols}] -> ({text})> }} : () -> ()')
        taken.append(i)
    lines += ["  return", "}"]
    command = [mlir_opt, "--allow-unregistered-dialect", "--affine-simplify-structures"]
    printed = subprocess.run(command, input="\n".join(lines), text=True, capture_output=True, check=True).stdout
    alias = dict(re.findall(r"^(#map\d*) = affine_map<(.*)>$", printed, re.M))
    found = {}
    for index, name in re.findall(r'"map\.at"\(\) \{index = (\d+) : i64, map = (#map\d*)\}', printed):
        m, r = maps[int(index)], Reader(alias[name])
        back = r.names("(", ")") + r.names("[", "]")
        rename = dict(zip(back, m.dims + m.ranges + m.runtime))
        r.need("->")
        r.need("(")
        expressions = []
        while not r.eat(")"):
            expressions.append(renamed(r.sum(), rename))
            r.eat(",")
        n = len(m.results)
        left = [
            e
            for e, (_, low, high) in zip(expressions[n:], m.constraints)
            if not (e[0] == "const" and low <= e[1] <= high)
        ]
        found[int(index)] = (expressions[:n], left)
    assert sorted(found) == taken, "not every map came back"
    return found


def renamed(e, names):
    if e[0] == "var":
        return ("var", names[e[1]])
    return e if e[0] == "const" else (e[0], renamed(e[1], names), renamed(e[2], names))


class Tvm:
    def __init__(self):
        import tvm
        from tvm import ir, sym, tirx

        self.ir, self.sym, self.tirx = ir, sym, tirx
        print("tvm", tvm.__version__, file=sys.stderr)

    def build(self, e, variables):
        if e[0] == "const":
            return self.tirx.IntImm("int64", e[1])
        if e[0] == "var":
            return variables[e[1]]
        a, b = self.build(e[1], variables), self.build(e[2], variables)
        if e[0] == "ceildiv":
            return -self.tirx.floordiv(-a, b)
        if e[0] == "mod" and e[2][0] == "const" and e[2][1] < 0:
            b = self.tirx.IntImm("int64", -e[2][1])
        operation = {
            "+": lambda: a + b, "*": lambda: a * b, "floordiv": lambda: self.tirx.floordiv(a, b),
            "mod": lambda: self.tirx.floormod(a, b), "min": lambda: self.tirx.min(a, b), "max": lambda: self.tirx.max(a, b),
        }  # fmt: skip
        return operation[e[0]]()

    def back(self, e):
        t = self.tirx
        if isinstance(e, t.IntImm):
            return ("const", int(e.value))
        if isinstance(e, (t.Var, self.ir.Var)):
            return ("var", e.name)
        kinds = {t.Add: "+", t.Mul: "*", t.FloorDiv: "floordiv", t.FloorMod: "floormod", t.Min: "min", t.Max: "max"}
        for kind, op in kinds.items():
            if isinstance(e, kind):
                return (op, self.back(e.a), self.back(e.b))
        if isinstance(e, t.Sub):
            return ("+", self.back(e.a), negated(self.back(e.b)))
        raise ValueError(f"{type(e)}: {e}")

    def run(self, m, iterate):
        t = self.tirx
        variables = {v: t.Var(v, "int64") for v in m.names}
        analyzer = self.sym.Analyzer()
        ranges = {}
        for v, (low, high) in m.bounds.items():
            i64 = lambda x: t.IntImm("int64", x)
            ranges[variables[v]] = self.ir.Range.from_min_extent(i64(low), i64(high - low + 1))
            analyzer.bind(variables[v], ranges[variables[v]])
        predicate = t.const(True, "bool")
        parts = []
        for e, low, high in m.constraints:
            e = self.build(e, variables)
            part = t.And(e >= low, e <= high)
            parts.append(part)
            predicate = t.And(predicate, part)
        results = [self.build(e, variables) for e in m.results]
        if iterate and results:
            simpler = self.sym.iter_map_simplify(results, ranges, predicate, self.sym.iter_affine_map.IterMapLevel.NoCheck)
            results = list(simpler) or results
        left = []
        for part in parts:
            p = analyzer.simplify(part)
            if not (isinstance(p, t.IntImm) and int(p.value)):
                left.append(p)
        with analyzer.constraint_scope(predicate):
            return [self.back(analyzer.simplify(e)) for e in results], left


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("--mlir-opt", default="mlir-opt-22")
    options = arguments.parse_args()
    entries = [json.loads(line) for line in open(options.file)]
    maps = [Map(entry["map"]) for entry in entries]
    answers = {"upstream": upstream(maps, options.mlir_opt)}
    tvm = Tvm()
    for name, iterate in [("tvm", False), ("tvm_iter", True)]:
        answers[name] = {}
        for i, m in enumerate(maps):
            try:
                answers[name][i] = tvm.run(m, iterate)
            except Exception as error:  # A peer that fails on a map has no answer.
                print(f"{entries[i]['name']}: {name}: {str(error).splitlines()[-1][:120]}", file=sys.stderr)
    for i, (entry, m) in enumerate(zip(entries, maps)):
        ops, constraints, wrong = {}, {}, []
        for name, found in answers.items():
            if i not in found:
                continue
            left = counts(m, *found[i])
            if left is None:
                wrong.append(name)
                continue
            ops[name], constraints[name] = left
        keys = ("family", "name", "map", "reason")
        entry = {k: entry[k] for k in keys if k in entry} | {"ops_left": ops, "constraints_left": constraints}
        print(json.dumps(entry | ({"wrong": wrong} if wrong else {})))


if __name__ == "__main__":
    main()
