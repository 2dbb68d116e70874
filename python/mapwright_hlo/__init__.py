"""Indexing maps, fusion and native code for StableHLO programs.

Functions take a program: a function of JAX with example arguments, what ``jax.jit(f).lower(...)`` or ``jax.export`` gives, StableHLO as text or
bytes, the path of a file, or what :func:`load` read.

>>> import mapwright_hlo as mw, numpy as np
>>> program = '''
... func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
...   %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
...   return %0 : tensor<3x2xf32>
... }'''
>>> mw.run(program, np.array([[1, 2, 3], [4, 5, 6]], np.float32)).tolist()
[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
>>> mw.maps(program).composed(result=0, argument=0)[0]
IndexingMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]')
"""

from . import torch
from ._artifact import Artifact, load
from ._error import Error
from ._executable import Executable, compile, run
from ._fusion import Fusion, fusion
from ._maps import Comparison, Constraint, IndexingMap, Maps, Variable, maps
from ._native import VERSION as __version__
from ._ragged import Ragged, ragged
from ._rewrite import differentiate, opt
from ._shards import Shards, shards

__all__ = [
    "Artifact",
    "Comparison",
    "Constraint",
    "Error",
    "Executable",
    "Fusion",
    "IndexingMap",
    "Maps",
    "Ragged",
    "Shards",
    "Variable",
    "compile",
    "differentiate",
    "fusion",
    "load",
    "maps",
    "opt",
    "ragged",
    "run",
    "shards",
    "torch",
]
