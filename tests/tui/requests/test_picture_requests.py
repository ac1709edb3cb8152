"""What is shown of a session: pictures, definitions, plans, how it ended; and what is saved where."""

from pathlib import Path
from typing import Any

import pytest

from engine.errors import OutputError
from tests.tui.fake_session import FakeSession
from tests.tui.requests.standing import Standing, hand_over
from tests.tui.small_run import now
from tui import messages
from tui.picture import Definition, Judged, Picture
from tui.requests.clock import ClockRequests
from tui.requests.coaching import Coaching
from tui.requests.pictures import Ending, PictureRequests
from tui.saving import TO_TERMINAL
from tui.screens.page import PageScreen

NOON = 1_510_362_060_000
MET = Judged("met", "all run", "applications count = 3", NOON)
PLAIN = Judged("met", "", "nodes = 12", NOON + 1_000)
MISSED = Judged("failed", "nobody waits", "applications count = 0; it was 3", NOON + 2_000)
OPEN = Judged("open", "later", "nodes = 9")


def requests(context: Standing) -> PictureRequests:
    """What shows pictures."""
    return PictureRequests(context, ClockRequests(context), Coaching(context))


async def test_a_picture_is_drawn_and_its_cost_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In seconds."""
    took: list[float] = []
    seconds = iter((10.0, 10.25))
    monkeypatch.setattr("tui.requests.pictures.time.perf_counter", lambda: next(seconds))
    context = Standing()

    async def drawn(took_s: float) -> None:
        took.append(took_s)

    context.session.drawn = drawn
    await requests(context).show_picture()

    assert (len(context.fake.shown), took) == (1, [0.25])


@pytest.mark.parametrize("case", ["closed", "not there yet"])
async def test_where_there_is_no_screen_nothing_is_drawn(case: str) -> None:
    """Before it is opened, and before it is there."""
    context = Standing(is_open=case != "closed")
    context.fake.is_mounted = case == "closed"
    await requests(context).show_picture()

    assert context.fake.shown == []


async def test_a_definition_is_shown() -> None:
    """Of what has none it is said."""
    context, none = Standing(), Standing()
    none.session.refusal = "unknown"
    for one in (context, none):
        await hand_over(requests(one), messages.DefinitionRequested("queue", "root.a"))

    assert context.fake.shown == [Definition("root.a", ("# a queue", "[x] = 1"), "toml")]
    assert none.told == [("Nothing defines the queue root.a.", "information")]


async def test_a_notice_is_told_as_it_is() -> None:
    """With how grave it is."""
    context = Standing()
    await hand_over(requests(context), messages.Noticed("Look.", "warning"))

    assert context.told == [("Look.", "warning")]


async def test_without_plans_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the clock stands while they are looked at."""
    context, some = Standing(), Standing()
    shown: list[Any] = []

    async def plans() -> tuple[object, ...]:
        return ("plan",)

    def screen(*given: Any, **options: Any) -> Any:
        shown.append((given, options))
        return "screen"

    some.session.plans = plans
    monkeypatch.setattr("tui.requests.pictures.first_to_show", lambda plans, application: application)
    monkeypatch.setattr("tui.requests.pictures.PlansScreen", screen)
    for one in (context, some):
        await hand_over(requests(one), messages.PlansRequested(7))
    [(pushed, left)] = some.fake_app.pushed
    await left(None)

    assert context.told == [("No application was given cores lately, and none asks for any.", "information")]
    assert context.session.calls == context.fake_app.pushed == []
    assert (pushed, shown[0][0][:2]) == ("screen", (("plan",), 7))
    assert some.session.calls == [("hold", True), ("hold", False)]


def ended(context: Standing, *judged: Judged) -> Picture:
    """A picture after the end."""
    context.session.change(judged=judged)
    found: Picture = now(context.session.pictures.picture())
    return found


def page_of(context: Standing) -> PageScreen:
    """The page that was shown."""
    [(page, _)] = context.fake_app.pushed
    assert isinstance(page, PageScreen)
    return page


def test_what_was_expected_is_shown_once_it_is_judged() -> None:
    """What was missed first, each with its time of day; a text of its own in place of what was measured."""
    context = Standing(FakeSession(offset_ms=0))
    ending = Ending(context)
    ending.seen(ended(context))
    before = list(context.fake_app.pushed)
    picture = ended(context, MET, MISSED, PLAIN, OPEN)
    for _ in range(2):
        ending.seen(picture)

    assert before == []
    assert page_of(context)._title_words == "The scenario has ended: 2 of 4 expectations met"
    assert page_of(context).text.splitlines() == [
        "MISSED  Sat 01:01:02  nobody waits: applications count = 0; it was 3",
        "open              later: nodes = 9",
        "met     Sat 01:01:00  all run",
        "met     Sat 01:01:01  nodes = 12",
        "",
        "What was done to the cluster on the way may be why one was missed.",
    ]


def test_where_all_were_met_nothing_is_said_of_the_way() -> None:
    """One line each."""
    context = Standing(FakeSession(offset_ms=0))
    Ending(context).seen(ended(context, MET))

    assert page_of(context).text == "met     Sat 01:01:00  all run"


def test_what_is_judged_waits_while_something_is_on_top() -> None:
    """It comes with the next picture after that."""
    context = Standing()
    ending, picture = Ending(context), ended(context, MET)
    context.fake.is_covered = True
    ending.seen(picture)
    covered = list(context.fake_app.pushed)
    context.fake.is_covered = False
    ending.seen(picture)

    assert (covered, len(context.fake_app.pushed)) == ([], 1)


def test_another_run_is_judged_anew() -> None:
    """After a branch nothing is judged until it has ended, too."""
    context = Standing()
    ending = Ending(context)
    for judged in ((MET,), (), (MET,)):
        ending.seen(ended(context, *judged))

    assert len(context.fake_app.pushed) == 2


async def save(context: Standing, stem: str = "queues") -> None:
    """Save two files."""
    await hand_over(requests(context), messages.SaveRequested(stem, {"txt": "a\n", "csv": "b\n"}))


@pytest.mark.parametrize("more", [0, 1])
async def test_what_is_saved_is_told_with_its_place(more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole where the line has room for it, else as it was named."""
    monkeypatch.chdir(tmp_path)
    whole = f"Saved {tmp_path / 'queues.txt'}, .csv"
    context = Standing(save_folder=Path(), width=len(whole) + more)
    await save(context)

    assert context.told == [(whole if more else "Saved queues.txt, .csv", "information")]
    assert (tmp_path / "queues.csv").read_text() == "b\n"


async def test_a_place_that_takes_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the words of the system."""
    none = tmp_path / "none"
    none.touch()
    context, full = Standing(save_folder=none), Standing(save_folder=tmp_path)
    await save(context)

    def failing(*_: object) -> list[Path]:
        raise OutputError("queues.txt", OSError(28, "No space left on device"))

    monkeypatch.setattr("tui.requests.pictures.save", failing)
    await save(full)

    assert context.told == [(f"Not saved: {none}: File exists.", "error")]
    assert full.told == [("Not saved: queues.txt: cannot be written: no space left on device.", "error")]


async def test_a_terminal_may_take_the_files_itself() -> None:
    """They are sent, and it is said."""
    sent: list[str] = []
    context = Standing(save_folder=TO_TERMINAL)
    context.send = sent.append
    await save(context)

    assert context.told == [("Sent queues: txt, csv.", "information")]
    assert len(sent) == 1
