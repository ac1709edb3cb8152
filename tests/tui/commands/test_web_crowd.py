"""The visitors of a web server: who may come, who has to leave, and how fast a page is heard; no program is started."""

from typing import Any

import pytest

from tui.cli.web_program import GRACE_S, ProcessLimits, Visit, VisitLimits, Visits


class FakeProgram:
    """A program that draws nothing until it is ended."""

    def __init__(self, size: tuple[int, int]) -> None:
        import asyncio  # noqa: PLC0415 -- only what has a loop makes one

        self.size = size
        self.typed: list[str] = []
        self.code = 0
        self.end_of_it = asyncio.Event()

    async def read(self) -> bytes:
        await self.end_of_it.wait()
        return b""

    async def ended(self) -> int:
        return self.code

    async def end(self) -> None:
        self.end_of_it.set()

    def type(self, keys: str) -> None:
        self.typed.append(keys)

    def resize(self, columns: int, lines: int) -> None:
        self.size = columns, lines

    def repaint(self, columns: int, lines: int) -> bytes:
        self.size = columns, lines
        return b"again"


class FakePage:
    """A page that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.shown: list[bytes] = []
        self.is_gone = False

    async def show(self, data: bytes) -> None:
        self.shown.append(data)

    async def say(self, kind: str, words: str) -> None:
        self.told.append((kind, words))

    async def leave(self) -> None:
        self.is_gone = True


class House:
    """Visits of two at most, who may be idle for ten minutes; time passes by hand."""

    def __init__(self, error: OSError | None = None) -> None:
        self.now_s, self.programs, self._error = 1_000.0, list[FakeProgram](), error
        start: Any = self.start
        self.visits = Visits(start, VisitLimits(2, 600.0, ProcessLimits(256, 1, 0)), lambda: self.now_s)

    def start(self, size: tuple[int, int], confines: ProcessLimits) -> FakeProgram:
        if self._error is not None:
            raise self._error
        self.programs.append(FakeProgram(size))
        return self.programs[-1]

    async def come(self, run: str = "", size: tuple[int, int] = (80, 24)) -> tuple[Visit | None, FakePage]:
        page = FakePage()
        return await self.visits.come(run, size, page), page


async def test_a_page_that_comes_back_finds_its_program() -> None:
    """Drawn again in its size; a page that shows it still has to leave."""
    house = House()
    visit, first = await house.come()
    assert visit is not None
    again, second = await house.come(visit.id, (90, 20))

    assert again is visit
    assert (first.told[-1], first.is_gone) == (("refused", "Another window shows this program now."), True)
    assert (second.told, second.shown, house.programs[0].size) == ([("run", visit.id)], [b"again"], (90, 20))
    visit.left(first)
    assert visit.viewer is second
    visit.left(second)
    assert visit.viewer is None


@pytest.mark.parametrize(("more_s", "is_ended"), [(-0.001, False), (0.0, True)])
async def test_who_is_away_for_too_long_is_ended(more_s: float, is_ended: bool) -> None:
    house = House()
    visit, page = await house.come()
    assert visit is not None
    visit.left(page)
    house.now_s += GRACE_S + more_s
    await house.visits.look()

    assert (house.programs[0].end_of_it.is_set(), GRACE_S) == (is_ended, 120.0)
