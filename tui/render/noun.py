"""What a pane shows: one kind of rows, how each is identified, drawn and described."""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from tui.render.line import Column, Look, Spans

Row = TypeVar("Row")


class Noun(NamedTuple, Generic[Row]):
    """One kind of rows."""

    name: str
    columns: Sequence[Column[Row]]
    identity: Callable[[Row], str]
    details: Callable[[Row, Look], list[Spans]]
    nothing: str
    """What the pane says when there is no row."""
    follows: bool = False
    """Whether the cursor stays on the last row while it is there."""
    marks: bool = False
    """Whether rows can be marked; then a gutter of one cell stands before them."""
