"""Which slice of a tensor lives on which device."""

from __future__ import annotations

import json
from typing import Any, Sequence

from . import _native
from ._maps import frame


class Shards:
    """A layout of a tensor over devices, or a change of it; in a notebook the picture of ``mapwright shards --html``.

    ``layout`` is the document that ``mapwright shards --json`` prints; as text it is the tables.
    """

    def __init__(self, layout: dict, text: str, page: str) -> None:
        self.layout, self._text, self._page = layout, text, page

    def __str__(self) -> str:
        return self._text

    def to_html(self) -> str:
        """A page that draws the tensor."""
        return self._page

    def _repr_html_(self) -> str:
        return frame(self._page)


def _listed(values: Sequence[Any] | str | None) -> str | None:
    if values is None or isinstance(values, str):
        return values
    return ",".join(str(value) for value in values)


def shards(
    shape: Sequence[int],
    *,
    tensor_map: Sequence[Any] | str | None = None,
    device_matrix: Sequence[int] | str | None = None,
    alias: Sequence[str] | str | None = None,
    partial: Sequence[str] | str | None = None,
    strategy: Sequence[int] | str | None = None,
    devices: int | None = None,
    sharding: str | None = None,
    mesh: str | None = None,
    before: str | None = None,
    after: str | None = None,
    element_bytes: int = 4,
) -> Shards:
    """The layout of a tensor of this shape: a tensor map on a device matrix, a strategy, or a text in another notation (HLO's, Shardy's with its ``mesh``,
    upstream's shard dialect). ``before`` and ``after`` are the layouts of a change, of which the traffic is worked out.

    >>> import mapwright_hlo as mw
    >>> for line in str(mw.shards([4, 6], sharding="{devices=[2,1]<=[2]}")).splitlines()[:2]:
    ...     print(line)
    Layout (d0=2)(d0, None)
    Tensor 4x6, shards 2x6, 2 slices on 2 devices
    """
    document, text, page = _native.shards(
        _listed(shape) or "",
        tensor_map=_listed(tensor_map),
        device_matrix=_listed(device_matrix),
        alias=_listed(alias),
        partial=_listed(partial),
        strategy=_listed(strategy),
        devices=devices,
        sharding=sharding,
        mesh=mesh,
        before=before,
        after=after,
        element_bytes=element_bytes,
    )
    return Shards(json.loads(document), text, page)
