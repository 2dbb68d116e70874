"""Indexing maps in Python: read from text, printed, evaluated, and their operations counted as `IndexingMap::operation_count`
counts them. Only for the scripts beside it."""

import re

TOKEN = re.compile(r"\s*(->|floordiv|ceildiv|mod|[A-Za-z_][\w.]*|\d+|.)")


class Reader:
    def __init__(self, text):
        self.tokens = TOKEN.findall(text.strip())
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def eat(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def need(self, token):
        assert self.eat(token), f"expected {token}, found {self.peek()}"

    def names(self, opening, closing):
        found = []
        if self.eat(opening):
            while not self.eat(closing):
                found.append(self.peek())
                self.at += 1
                self.eat(",")
        return found

    def integer(self):
        sign = -1 if self.eat("-") else 1
        self.at += 1
        return sign * int(self.tokens[self.at - 1])

    def primary(self):
        if self.eat("-"):
            e = self.primary()
            return ("const", -e[1]) if e[0] == "const" else ("*", e, ("const", -1))
        if self.eat("("):
            e = self.sum()
            self.need(")")
            return e
        token = self.peek()
        self.at += 1
        if token in ("min", "max"):
            self.need("(")
            a = self.sum()
            self.need(",")
            b = self.sum()
            self.need(")")
            return (token, a, b)
        return ("const", int(token)) if token.isdigit() else ("var", token)

    def product(self):
        e = self.primary()
        while self.peek() in ("*", "floordiv", "ceildiv", "mod", "/"):
            op = self.peek()
            self.at += 1
            e = ("floordiv" if op == "/" else op, e, self.primary())
        return e

    def sum(self):
        e = self.product()
        while self.peek() in ("+", "-"):
            minus = self.eat("-")
            if not minus:
                self.need("+")
            f = self.product()
            e = ("+", e, negated(f) if minus else f)
        return e


def negated(e):
    """A difference is a sum with a negated term, which counts once."""
    if e[0] == "const":
        return ("const", -e[1])
    if e[0] == "*" and e[2][0] == "const":
        return ("*", e[1], ("const", -e[2][1]))
    return ("*", e, ("const", -1))


class Map:
    def __init__(self, text):
        r = Reader(text)
        self.dims = r.names("(", ")")
        self.ranges = r.names("[", "]")
        self.runtime = r.names("{", "}")
        self.names = self.dims + self.ranges + self.runtime
        r.need("->")
        r.need("(")
        self.results, self.bounds, self.constraints = [], {}, []
        while not r.eat(")"):
            self.results.append(r.sum())
            r.eat(",")
        if r.eat(","):
            r.need("domain")
            r.need(":")
            while True:
                e = r.sum()
                r.need("in")
                r.need("[")
                low = r.integer()
                r.need(",")
                high = r.integer()
                r.need("]")
                if e[0] == "var" and len(self.bounds) < len(self.names) and e[1] not in self.bounds:
                    self.bounds[e[1]] = (low, high)
                else:
                    self.constraints.append((e, low, high))
                if not r.eat(","):
                    break


def operations(e):
    """Operations of an expression, and whether it is a negated term (free in a sum that has another)."""

    def count(e):
        if e[0] in ("const", "var"):
            return 0, False
        (a, na), (b, nb) = count(e[1]), count(e[2])
        if e[0] == "*" and e[2] == ("const", -1):
            return a + b, True
        if e[0] == "+":
            return a + b + 1, na and nb
        return a + b + 1 + na + nb, False

    n, negative = count(e)
    return n + negative


def evaluate(e, point):
    if e[0] == "const":
        return e[1]
    if e[0] == "var":
        return point[e[1]]
    a, b = evaluate(e[1], point), evaluate(e[2], point)
    if e[0] in ("min", "max"):
        return min(a, b) if e[0] == "min" else max(a, b)
    if e[0] == "floordiv":
        return a // b
    if e[0] == "ceildiv":
        return -(-a // b)
    if e[0] == "mod":
        return a % abs(b)
    if e[0] == "floormod":  # Not of the grammar: the remainder has the sign of the divisor.
        return a % b
    return a + b if e[0] == "+" else a * b


def show(e):
    """All parentheses, so that every reader agrees."""
    if e[0] in ("const", "var"):
        return str(e[1])
    if e[0] in ("min", "max"):
        return f"{e[0]}({show(e[1])}, {show(e[2])})"
    return f"({show(e[1])} {e[0]} {show(e[2])})"


def walk(e):
    yield e
    if e[0] not in ("const", "var"):
        yield from walk(e[1])
        yield from walk(e[2])
