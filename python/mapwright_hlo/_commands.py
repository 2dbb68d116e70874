"""The commands ``mapwright`` and ``mapwright-opt``."""

from __future__ import annotations

import signal
import sys

from . import _native


def _as_a_program() -> None:
    # An interrupt ends a command at once, as it ends every other program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def mapwright() -> int:
    """The command ``mapwright``."""
    _as_a_program()
    return 0 if _native.main(["mapwright", *sys.argv[1:]]) else 1


def mapwright_opt() -> int:
    """The command ``mapwright-opt``."""
    _as_a_program()
    return _native.opt_main(["mapwright-opt", *sys.argv[1:]])
