"""Computes where the panes stand: from a plan, an area and a choice to the region of everything visible.

A plan is made of slots; panes that have no room of their own share one, and it shows the one chosen last. What the
user wants, in which order panes were chosen and which are hidden, is the choice. Nothing here knows a widget.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.geometry import Region, Size

DETAIL = "detail"
"""The strip that explains the selected row; it takes part like a pane."""

BESIDE_FROM = Size(110, 34)
"""From this size of the terminal on all main panes stand beside each other; below, one at a time."""
COLUMNS_FROM = Size(170, 50)
"""From this size on they stand in two columns, with the strip among them."""

STRIP_LINES = 4
"""Height of the strip, with its border, where it has no slot of its own."""


class PaneSlot(NamedTuple):
    """A place for one pane at a time."""

    weight: int
    """Its share of its band."""
    panes: tuple[str, ...]
    """The panes that share it; the first is there until another is chosen."""


class PaneBand(NamedTuple):
    """Slots side by side in a row, or one below the other in a column."""

    weight: int
    """Its share of the area."""
    slots: tuple[PaneSlot, ...]


class PanePlan(NamedTuple):
    """Bands of slots."""

    bands: tuple[PaneBand, ...]
    is_columns: bool = False
    """Whether the bands are columns side by side; else they are rows."""


class PaneChoice(NamedTuple):
    """What the user wants to see."""

    recent: tuple[str, ...]
    """The panes that were gone to, the latest first; that one has the keys."""
    hidden: frozenset[str] = frozenset()
    zoomed: bool = False
    """Whether the latest pane has the room of all."""

    @property
    def pane(self) -> str:
        """The pane that has the keys."""
        return self.recent[0]

    def choose(self, pane: str) -> "PaneChoice":
        """Go to a pane; one that was hidden comes back."""
        others = tuple(one for one in self.recent if one != pane)
        return self._replace(recent=(pane, *others), hidden=self.hidden - {pane})

    def hide(self, pane: str, panes: Sequence[str]) -> "PaneChoice":
        """Give the room of a pane to the others, and the keys to the latest or the first of those; one always stays."""
        hidden = self.hidden | {pane}
        recent = tuple(one for one in self.recent if one != pane) or tuple(p for p in panes if p not in hidden)[:1]
        return self._replace(recent=recent, hidden=hidden, zoomed=False) if recent else self


class PanePlans(NamedTuple):
    """How the panes of one kind of cluster stand."""

    beside: PanePlan
    columns: PanePlan

    def plan(self, screen: Size, *, zoomed: bool = False) -> PanePlan:
        """The plan for a size of the terminal."""
        if zoomed or not fits(BESIDE_FROM, screen):
            return PanePlan((PaneBand(1, (PaneSlot(1, self.panes),)),))
        return self.columns if fits(COLUMNS_FROM, screen) else self.beside

    @property
    def panes(self) -> tuple[str, ...]:
        """Every pane that has a place."""
        return tuple(pane for band in self.beside.bands for slot in band.slots for pane in slot.panes)


def fits(least: Size, screen: Size) -> bool:
    """Whether a terminal is at least this wide and this high."""
    return screen.width >= least.width and screen.height >= least.height


def shown(slot: PaneSlot, choice: PaneChoice) -> str | None:
    """The pane a slot shows: the one chosen last, else its first unless that is hidden."""
    for pane in choice.recent:
        if pane in slot.panes:
            return pane
    return None if slot.panes[0] in choice.hidden else slot.panes[0]


def visible(plan: PanePlan, choice: PaneChoice) -> list[str]:
    """The panes on screen, in the order of the plan."""
    slots = (slot for band in plan.bands for slot in band.slots)
    return [pane for slot in slots if (pane := shown(slot, choice)) is not None and pane != DETAIL]


def sharing(plan: PanePlan, pane: str) -> list[str]:
    """The other panes of a pane's slot; none where all panes share the one slot there is."""
    if len(plan.bands) == 1:
        return []
    slots = (slot for band in plan.bands for slot in band.slots if pane in slot.panes)
    return [other for slot in slots for other in slot.panes if other != pane]


def regions(plan: PanePlan, area: Size, choice: PaneChoice, *, strip_lines: int = STRIP_LINES) -> dict[str, Region]:
    """The region of every visible pane, and of the strip.

    Nothing overlaps; everything lies in the area, and what gets no cell of it is left out.

    Args:
        plan: Where slots are.
        area: What there is for panes and strip [cells].
        choice: What the slots show.
        strip_lines: Height of the strip where the plan has no slot for it; 0 is none.
    """
    has_slot = any(DETAIL in slot.panes for band in plan.bands for slot in band.slots)
    strip = 0 if has_slot else min(strip_lines, max(0, area.height - 1))
    whole = Region(0, 0, area.width, area.height - strip)
    placed = dict(_in_bands(plan, whole, choice))
    if strip:
        placed[DETAIL] = Region(0, whole.height, area.width, strip)
    return {name: region for name, region in placed.items() if region.area}


def _in_bands(plan: PanePlan, whole: Region, choice: PaneChoice) -> Iterator[tuple[str, Region]]:
    filled = [
        (band.weight, some)
        for band in plan.bands
        if (some := [(slot.weight, pane) for slot in band.slots if (pane := shown(slot, choice)) is not None])
    ]
    bands = _divided(whole, [weight for weight, _ in filled], across=plan.is_columns)
    for band, (_, some) in zip(bands, filled, strict=True):
        slots = _divided(band, [weight for weight, _ in some], across=not plan.is_columns)
        yield from zip((pane for _, pane in some), slots, strict=True)


def _divided(whole: Region, weights: Sequence[int], *, across: bool) -> Iterator[Region]:
    """Parts by weight, side by side with a cell between them, or one below the other."""
    gap = 1 if across else 0
    room = max(0, (whole.width if across else whole.height) - gap * (len(weights) - 1))
    done = 0
    for place, weight in enumerate(weights):
        begin, end = (room * part // sum(weights) for part in (done, done + weight))
        offset = begin + gap * place
        yield (
            Region(whole.x + offset, whole.y, end - begin, whole.height)
            if across
            else Region(whole.x, whole.y + offset, whole.width, end - begin)
        )
        done += weight
