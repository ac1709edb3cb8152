"""The list of the chooser: the rows that are listed, the cursor among them, and the scenarios that are unfolded."""

from collections.abc import Callable, Sequence

from tui.render import scenario
from tui.render.line import Spans

Fill = Callable[[scenario.ScenarioEntry], scenario.ScenarioEntry]


class ScenarioList:
    """Chooses rows and moves the cursor; it draws lines and knows no widget."""

    def __init__(self, entries: Sequence[scenario.ScenarioEntry], fill: Fill | None = None) -> None:
        """Over these; `fill` finds what is not known yet of one."""
        self.entries = entries
        self._fill = fill
        self._left = [one.name for one in entries if one.is_bare] if fill is not None else []
        """Names of those of which something is not known yet; the first is filled last."""
        self.unfolded: set[str] = set()
        """Names of scenarios whose variants are listed."""
        self.rows: list[scenario.ChooserRow] = []
        self.cursor = 0
        """Place of a row with a scenario; 0 where there is none."""
        self._first = 0
        """Place of the first row on screen."""

    @property
    def selected(self) -> scenario.ScenarioEntry | None:
        """The scenario under the cursor."""
        found = self.rows[self.cursor].entry if self.rows else None
        return self._known(found) if found is not None else None

    def _known(self, entry: scenario.ScenarioEntry) -> scenario.ScenarioEntry:
        """The entry with all that is known of it."""
        if not entry.is_bare or self._fill is None:
            return entry
        known = next(one for one in self.entries if one.name == entry.name)
        if known.is_bare:
            known = self._fill(known)
            self.entries = [known if one.name == known.name else one for one in self.entries]
        return known

    def fill_one(self) -> bool:
        """Find what is not known yet of one more; False where nothing is left."""
        if self._left:
            name = self._left.pop()
            _ = self._known(next(one for one in self.entries if one.name == name))
        return bool(self._left)

    @property
    def names(self) -> list[str]:
        """The scenarios that are listed."""
        return [row.entry.name for row in self.rows if row.entry is not None]

    def list_anew(self, words: str, height: int, name: str = "") -> None:
        """List the scenarios that have all words; the cursor goes to a named one, else stays on its own."""
        while words and self.fill_one():
            pass
        before = name or (self.selected.name if self.selected is not None else "")
        self.rows = scenario.rows(self.entries, words, self.unfolded, height)
        places = self._places()
        same = [place for place in places if (one := self.rows[place].entry) is not None and one.name == before]
        matched = [place for place in places if not self.rows[place].is_context]
        self.cursor = (same or matched or [0])[0]
        if not places:
            self.rows = []

    def to_top(self) -> None:
        """Move the cursor to the first row."""
        self._first = self.cursor = 0

    def lines(self, width: int, height: int) -> list[Spans]:
        """Draw the rows around the cursor that a screen of this size has room for."""
        side = scenario.name_width(self.rows)
        self._first = scenario.scrolled(self._first, self.cursor, len(self.rows), height)
        shown = enumerate(self.rows[self._first : self._first + height], start=self._first)
        return [scenario.list_line(row, width, side, is_cursor=place == self.cursor) for place, row in shown]

    def at_line(self, line: int) -> int | None:
        """Return the place of the scenario on a line of the screen; None where there is none."""
        place = self._first + line
        return place if place < len(self.rows) and self.rows[place].entry is not None else None

    def moved(self, by: int) -> int | None:
        """Return the place so many scenarios away, at most the first or last; None where no scenario is listed."""
        places = self._places()
        return places[min(max(places.index(self.cursor) + by, 0), len(places) - 1)] if places else None

    def first_drill(self) -> int | None:
        """Return the place of the first drill; None where no drill is listed."""
        listed = (row.entry for row in self.rows)
        return next((place for place, one in enumerate(listed) if one is not None and one.drill is not None), None)

    def _places(self) -> list[int]:
        return [place for place, row in enumerate(self.rows) if row.entry is not None]
