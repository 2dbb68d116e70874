#!/usr/bin/env python3
"""Writes the files of lit-tests/execute: one program an operation, with inputs and expectations.

A development tool (needs mpmath and NumPy); the tests themselves need only `mapwright run`.

    python3 lit-tests/execute/generate [name …]
"""

import sys

import arrays
import bounded
import complex_grid
import conversions
import contractions
import elementwise
import moves
import others
import reductions
import parallel
import program
import programs

elementwise.generate()
conversions.generate()
moves.generate()
reductions.generate()
contractions.generate()
programs.generate()
parallel.generate()
others.generate()
bounded.generate()
arrays.generate()
complex_grid.generate()

if __name__ == "__main__":
    names = sys.argv[1:]
    for file in program.FILES:
        if not names or file.name in names:
            file.write()
