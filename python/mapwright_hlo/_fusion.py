"""The regions that a program is compiled in."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from . import _native
from ._maps import counted
from ._source import source


class Fusion:
    """The regions of the functions of a program; in a notebook a table of them.

    ``functions`` has a dictionary for each function: its ``name``; ``regions``, each with its ``kind``, ``root``, ``members``, ``inputs``, ``outputs``, ``schedule``,
    ``bytes_read`` and ``bytes_written`` (a formula where sizes are known at run time only); ``not_fused``, with the ``reason``.
    """

    def __init__(self, functions: list[dict]) -> None:
        self.functions = functions

    @property
    def regions(self) -> list[dict]:
        """The regions of all functions."""
        return [region for function in self.functions for region in function["regions"]]

    @property
    def not_fused(self) -> list[dict]:
        """The pairs of operations that do not share a region, each with its reason."""
        return [edge for function in self.functions for edge in function["not_fused"]]

    def __repr__(self) -> str:
        return f"<Fusion: {counted(len(self.regions), 'region')}, {counted(len(self.not_fused), 'pair')} not fused>"

    def _repr_html_(self) -> str:
        rows = []
        for function in self.functions:
            rows.append(f'<tr><th colspan="6" style="text-align: left">@{escape(function["name"])}</th></tr>')
            for i, region in enumerate(function["regions"]):
                members = "<br>".join(
                    f"<b>{_place(member)}</b>" if member == region["root"] else _place(member) for member in region["members"]
                )
                cells = (
                    str(i),
                    escape(region["kind"]),
                    members,
                    escape(str(_bytes(region, "bytes_read"))),
                    escape(str(_bytes(region, "bytes_written"))),
                    f"<code>{escape(region['schedule'] or '')}</code>",
                )
                rows.append("<tr>" + "".join(f'<td style="text-align: left; vertical-align: top">{cell}</td>' for cell in cells) + "</tr>")
            for edge in function["not_fused"]:
                text = f"{_place(edge['producer'])} is not fused into {_place(edge['consumer'])}: {escape(edge['reason'])}"
                rows.append(f'<tr><td colspan="6" style="text-align: left">{text}</td></tr>')
        head = "".join(f"<th>{name}</th>" for name in ("region", "kind", "operations", "bytes read", "bytes written", "schedule"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _bytes(region: dict, key: str) -> int | str:
    return region[key] if region[f"{key}_formula"] is None else region[f"{key}_formula"]


def _place(op: dict) -> str:
    return escape(f"{op['op']} at {op['location']}")


def fusion(program: Any, *args: Any) -> Fusion:
    """The regions that would be formed of a program, with their schedules, and why other operations do not share one.

    ``args`` are example arguments for a function of JAX.

    >>> import mapwright_hlo as mw
    >>> found = mw.fusion('''
    ... func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    ...   %0 = stablehlo.sine %x : tensor<8xf32>
    ...   %1 = stablehlo.multiply %0, %0 : tensor<8xf32>
    ...   return %1 : tensor<8xf32>
    ... }''')
    >>> found
    <Fusion: 1 region, 1 pair not fused>
    >>> [member["op"] for member in found.regions[0]["members"]], found.regions[0]["bytes_read"]
    (['stablehlo.sine', 'stablehlo.multiply'], 32)
    >>> found.not_fused[0]["reason"]
    "'func.return' is not part of regions"
    """
    read = source(program, *args)
    return Fusion(json.loads(_native.fusion(read.name, read.bytes)))
