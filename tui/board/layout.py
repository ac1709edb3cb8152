"""Computes where the panes stand: from a plan, an area, what panes want and a choice to the region of every frame.

A plan is made of bands, a band of columns, a column of slots; panes that have no room of their own share one, and it
shows the one chosen last. What the user wants, in which order panes were chosen and which are hidden, is the choice.
Some bands and slots stand only where lines are spare; `drop_unplaced_panes` decides that. Nothing here knows a widget.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from textual.geometry import Region, Size


class HeightRequest(NamedTuple):
    least: int
    wanted: int  # With all of its content in sight
    is_patient: bool = False  # Whether it takes more than its least only of what the others leave
    most: int | None = None  # What it never exceeds; None is without limit


def divided(room: int, wants: Sequence[HeightRequest], rest: int) -> list[int]:
    """The height of each part; together they are exactly the room.

    Each has its least. What is spare goes to those that want little first, so that only large ones are short of lines;
    then to the patient ones, the one that hides most first, those with a greatest height last; the remainder goes to
    the part at the place `rest`. Where there is too little even for the least, all shrink alike.

    >>> divided(35, [HeightRequest(8, 82), HeightRequest(13, 17)], 0)
    [18, 17]
    >>> divided(35, [HeightRequest(8, 90), HeightRequest(13, 90)], 0)
    [15, 20]
    """
    least = [want.least for want in wants]
    if sum(least) >= room:
        ends = [max(0, room) * sum(least[: at + 1]) // max(1, sum(least)) for at in range(len(least))]
        return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    heights = list(least)
    needs = sorted((max(0, w.wanted - w.least), at) for at, w in enumerate(wants) if not w.is_patient)
    for left, (need, at) in zip(range(len(needs), 0, -1), needs, strict=True):
        heights[at] += min(need, (room - sum(heights)) // left)
    patient = sorted((w.most is not None, w.least - w.wanted, at) for at, w in enumerate(wants) if w.is_patient)
    for is_bounded, hidden, at in patient:
        bound = min(-hidden, (wants[at].most or 0) - heights[at]) if is_bounded else -hidden
        heights[at] += max(0, min(bound, room - sum(heights)))
    heights[rest] += room - sum(heights)
    return heights


DETAIL = "detail"  # The strip that explains the selected row; it takes part like a pane

WHOLE_FROM = Size(80, 24)  # Below this size of the terminal there is one pane and no strip
BESIDE_FROM = Size(110, 34)  # From this size on main panes stand beside each other; below, one at a time
COLUMNS_FROM = Size(170, 50)  # From this size on they stand in two columns

_KEPT_LINES = 3  # So many lines less than its least a band or slot keeps standing on


class PaneSlot(NamedTuple):
    panes: tuple[str, ...]  # The panes that share it; the first is there until another is chosen
    least: int = 5  # Its least height, with the frame [lines]
    most: int | None = None  # Its greatest height
    is_patient: bool = False  # Whether it takes more than its least only of what others leave
    is_spare: bool = False  # Whether it stands only where its least is spare; then no other slot has its panes


class PaneColumn(NamedTuple):
    """Slots one below the other."""

    slots: tuple[PaneSlot, ...]
    share: int = 0  # Its width in thirtieths of the area; 0 is what the others leave
    most: int = 0  # Its greatest width; what is more is left to the others


class PaneBand(NamedTuple):
    """Columns side by side."""

    columns: tuple[PaneColumn, ...]
    is_spare: bool = False  # Whether it stands only where its least is spare

    @property
    def slots(self) -> Iterator[PaneSlot]:
        return (slot for column in self.columns for slot in column.slots)

    def with_slots(self, slots_of: Callable[[PaneColumn], Iterable[PaneSlot]]) -> "PaneBand":
        columns = (column._replace(slots=tuple(slots_of(column))) for column in self.columns)
        return self._replace(columns=tuple(columns))


class PanePlan(NamedTuple):
    """Bands one below the other."""

    bands: tuple[PaneBand, ...]
    is_sided: bool = True  # Whether frames have sides; else they are a rule above each pane

    @property
    def slots(self) -> Iterator[PaneSlot]:
        return (slot for band in self.bands for slot in band.slots)

    @property
    def is_single(self) -> bool:
        return sum(slot.panes != (DETAIL,) for slot in self.slots) == 1


class PaneChoice(NamedTuple):
    recent: tuple[str, ...]  # The panes that were gone to, the latest first; that one has the keys
    hidden: frozenset[str] = frozenset()
    zoomed: bool = False  # Whether the latest pane has the room of all

    @property
    def pane(self) -> str:
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
    beside: PanePlan
    columns: PanePlan

    def plan(self, screen: Size, *, zoomed: bool = False, taken: int = 0) -> PanePlan:
        """The plan for a size of the terminal; `taken` lines of it below the panes are not theirs."""
        room = screen - Size(0, taken)
        if zoomed or not fits(BESIDE_FROM, room):
            is_sided, lines = fits(BESIDE_FROM, room), 6 if fits(BESIDE_FROM, room) else 4
            is_whole = fits(WHOLE_FROM, room)
            strip = PaneSlot((DETAIL,), lines, lines, is_patient=is_whole, is_spare=not is_whole)
            slots = (PaneSlot(self.panes, 1), *((strip,) if fits(WHOLE_FROM, screen) else ()))
            return PanePlan((PaneBand((PaneColumn(slots),)),), is_sided)
        return self.columns if fits(COLUMNS_FROM, room) else self.beside

    @property
    def panes(self) -> tuple[str, ...]:
        panes = (pane for slot in self.beside.slots for pane in slot.panes if pane != DETAIL)
        return tuple(dict.fromkeys(panes))


def fits(least: Size, screen: Size) -> bool:
    return screen.width >= least.width and screen.height >= least.height


def shown(slot: PaneSlot, choice: PaneChoice) -> str | None:
    """The pane a slot shows: the one chosen last, else its first unless that is hidden."""
    for pane in choice.recent:
        if pane in slot.panes:
            return pane
    return None if not slot.panes or slot.panes[0] in choice.hidden else slot.panes[0]


def visible(plan: PanePlan, choice: PaneChoice) -> list[str]:
    return [pane for slot in plan.slots if (pane := shown(slot, choice)) is not None and pane != DETAIL]


def drop_unplaced_panes(
    plan: PanePlan, height: int, choice: PaneChoice, wanted: Mapping[str, int], before: PanePlan | None = None
) -> PanePlan:
    """The plan without what has no spare lines to stand in; a pane of what does stands nowhere else.

    Panes want so many lines, with their frames; what stood in the plan `before` stays a little longer.
    """
    stood = frozenset() if before is None else frozenset(before.slots)
    firm = [band for band in plan.bands if not band.is_spare]
    spare = height - sum(_band_want(band, choice, wanted).wanted for band in firm)
    bands = [band for band in plan.bands if not band.is_spare or _stands(band.columns[0].slots[0], spare, stood)]
    room = height if len(bands) == 1 else None
    bands = [band.with_slots(lambda column: _standing(column, room, choice, wanted, stood)) for band in bands]
    spared = [slot for band in bands for slot in band.slots if slot.is_spare or band.is_spare]
    claimed = {pane for slot in spared for pane in slot.panes}
    return plan._replace(bands=tuple(_disclaimed(band, claimed) for band in bands))


def _stands(slot: PaneSlot, spare: int, stood: frozenset[PaneSlot]) -> bool:
    return spare >= slot.least - (_KEPT_LINES if slot in stood else 0)


def _standing(
    column: PaneColumn, room: int | None, choice: PaneChoice, wanted: Mapping[str, int], stood: frozenset[PaneSlot]
) -> list[PaneSlot]:
    firm = [slot for slot in column.slots if not slot.is_spare]
    spare = 0 if room is None else room - sum(_want(slot, choice, wanted).wanted for slot in firm)
    return [slot for slot in column.slots if not slot.is_spare or _stands(slot, spare, stood)]


def _disclaimed(band: PaneBand, claimed: set[str]) -> PaneBand:
    def without_claimed(slot: PaneSlot) -> PaneSlot:
        return slot if slot.is_spare else slot._replace(panes=tuple(p for p in slot.panes if p not in claimed))

    return band if band.is_spare else band.with_slots(lambda column: map(without_claimed, column.slots))


def regions(plan: PanePlan, area: Size, choice: PaneChoice, wanted: Mapping[str, int]) -> dict[str, Region]:
    """The region of every visible pane's frame, and of the strip, by a settled plan; nothing overlaps."""
    bands = [filled for band in plan.bands if (filled := _filled(band, choice)).columns]
    if not bands:
        return {}
    last = len(bands) - 1
    heights = divided(
        area.height, [_band_want(band, choice, wanted) for band in bands], last if bands[last].is_spare else 0
    )
    placed: dict[str, Region] = {}
    top = 0
    for band, height in zip(bands, heights, strict=True):
        placed.update(_in_band(band, Region(0, top, area.width, height), choice, wanted))
        top += height
    return {name: region for name, region in placed.items() if region.area}


def _filled(band: PaneBand, choice: PaneChoice) -> PaneBand:
    filled = band.with_slots(lambda column: (slot for slot in column.slots if shown(slot, choice) is not None))
    return filled._replace(columns=tuple(column for column in filled.columns if column.slots))


def _want(slot: PaneSlot, choice: PaneChoice, wanted: Mapping[str, int]) -> HeightRequest:
    pane = shown(slot, choice)
    content = 0 if pane is None else wanted.get(pane, slot.least)
    lines = slot.least if slot.is_patient else max(slot.least, content)
    return HeightRequest(slot.least, max(slot.least, content) if slot.is_patient else lines, slot.is_patient, slot.most)


def _band_want(band: PaneBand, choice: PaneChoice, wanted: Mapping[str, int]) -> HeightRequest:
    least = max(sum(slot.least for slot in column.slots) for column in band.columns)
    lines = max(
        sum(slot.least if slot.is_patient else _want(slot, choice, wanted).wanted for slot in column.slots)
        for column in band.columns
    )
    return HeightRequest(least, max(least, lines), is_patient=band.is_spare)


def _in_band(
    band: PaneBand, whole: Region, choice: PaneChoice, wanted: Mapping[str, int]
) -> Iterator[tuple[str, Region]]:
    left = whole.x
    for place, column in enumerate(band.columns):
        rest = whole.right - left
        width = rest if place == len(band.columns) - 1 else min(column.most, whole.width * column.share // 30)
        yield from _in_column(column, Region(left, whole.y, width, whole.height), choice, wanted)
        left += width


def _in_column(
    column: PaneColumn, whole: Region, choice: PaneChoice, wanted: Mapping[str, int]
) -> Iterator[tuple[str, Region]]:
    slots = column.slots
    patient = [at for at, slot in enumerate(slots) if slot.is_patient and slot.most is None]
    heights = divided(whole.height, [_want(slot, choice, wanted) for slot in slots], patient[-1] if patient else 0)
    top = whole.y
    for slot, height in zip(slots, heights, strict=True):
        pane = shown(slot, choice)
        assert pane is not None, "slots that show nothing were left out"
        yield pane, Region(whole.x, top, whole.width, height)
        top += height


_SLACK = 2  # A pane gives lines back only when it wants this many fewer


class PanePlacement:
    def __init__(self, plans: PanePlans) -> None:
        self._plans = plans
        self._wanted: dict[str, int] = {}
        self.plan: PanePlan = plans.plan(Size(80, 24))  # As panes stand now

    def want(self, name: str, lines: int) -> None:
        """Have a pane want so many lines, with its frame: more at once, fewer only where it makes a difference."""
        before = self._wanted.get(name, 0)
        if lines > before or lines < before - _SLACK:
            self._wanted[name] = lines

    def regions(self, screen: Size, area: Size, choice: PaneChoice, taken: int = 0) -> Mapping[str, Region]:
        """The frames of the panes in an area of a terminal of some size; settles the plan; `taken` as of `plan`."""
        plan = self._plans.plan(screen, zoomed=choice.zoomed, taken=taken)
        self.plan = drop_unplaced_panes(plan, area.height, choice, self._wanted, self.plan)
        return regions(self.plan, area, choice, self._wanted)
