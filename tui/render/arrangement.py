"""How the rows of a pane are chosen and ordered: scope, filter, problems only, sort."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from engine.observe.section import column, glimpses, picked
from tui.render.fields import ORDERS, TEXT, Field, is_problem
from tui.render.filter import NOTHING, Filter
from tui.render.line import Look
from tui.render.scope import Scope


class Arrangement(NamedTuple):
    """What the user wants to see of a pane's rows, and in which order."""

    filter: Filter = NOTHING
    scope: Scope | Filter | None = None
    """What drilling down left, e.g. one queue; `esc` goes back."""
    problems: bool = False
    sort: str = ""
    """Name of a field; empty is the pane's own order."""
    reverse: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether every row is shown."""
        return not (self.filter.text or self.scope or self.problems)

    def key(self, look: Look) -> tuple[object, ...]:
        """What makes the rows others although the section did not change."""
        moment = look.now_ms // 1000 if self.filter.looks_at_time else 0
        return (self.filter.text, self.scope, self.problems, self.sort, self.reverse, moment)

    def words(self, trail: str = "") -> str:
        """What is said of it in a pane's title, after the way that led there; empty when nothing is."""
        way = trail or (self.scope.text if self.scope is not None else "")
        parts = [f"[{way}]"] if way else []
        parts += [f"/{self.filter.text}"] if self.filter.text else []
        parts += ["!problems"] if self.problems else []
        if self.sort or self.reverse:
            parts.append(f"sort {self.sort or 'own'} {'^' if self.reverse else 'v'}")
        return "  ".join(parts)

    def keeps(self, row: Any, look: Look) -> bool:
        """Whether a row is shown."""
        if self.problems and not is_problem(row, look):
            return False
        return (self.scope is None or self.scope.keeps(row, look)) and self.filter.keeps(row, look)

    def order(self, pane: str, rows: Sequence[Any], fields: Sequence[Field], look: Look) -> list[int] | None:
        """The places of the rows to show, in order; None when that is all of them as they are."""
        field = next((one for one in fields if one.name == self.sort), None)
        own = ORDERS.get(pane)
        if self.is_plain and field is None and own is None and not self.reverse:
            return None
        if field is None and own is not None:
            keys = list(map(own.key, *(column(rows, name) for name in own.reads)))
            return sorted(self._chosen(rows, look), key=keys.__getitem__, reverse=self.reverse)
        if field is not None:
            seen = list(glimpses(rows))
            some = [(place, seen[place]) for place in self._chosen(rows, look)]
            return _sorted(some, field, look, reverse=self.reverse)
        places = list(self._chosen(rows, look))
        return places[::-1] if self.reverse else places

    def _chosen(self, rows: Sequence[Any], look: Look) -> Iterable[int]:
        """The places of the rows to show, as they come."""
        if self.is_plain:
            return range(len(rows))
        return (place for place, row in enumerate(glimpses(rows)) if self.keeps(row, look))

    def arranged(self, pane: str, rows: Sequence[Any], fields: Sequence[Field], look: Look) -> Sequence[Any]:
        """The rows to show, in order; the very same sequence when nothing is to be done."""
        order = self.order(pane, rows, fields, look)
        return rows if order is None else picked(rows, order)


def _sorted(rows: Sequence[tuple[int, Any]], field: Field, look: Look, *, reverse: bool) -> list[int]:
    """By a field: words from A on, numbers from the largest on; rows without a value come last either way."""
    valued = [(field.value(row, look), place) for place, row in rows]
    downward = (field.kind != TEXT) != reverse
    having = [(value, place) for value, place in valued if value is not None and value != ""]
    missing = [place for value, place in valued if value is None or value == ""]
    having.sort(key=lambda pair: pair[0], reverse=downward)
    return [place for _, place in having] + missing
