"""Marked rows: they belong to ids, and an act is about all of them."""

from typing import Any

import pytest

from engine.scenario.acts import Act, DrainNode, KillApplication, MoveApplication, ReturnNode
from tests.tui import fakes
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.screen_text import board_of, press, screen_text, way_of
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.protocol.picture import ActResult, refused
from tui.screens.page import PageScreen

FIRST, SECOND, THIRD = (f"application_{fakes.TIMESTAMP}_{number}" for number in (183354, 183330, 183331))


def _marks(app: SchedlabApp) -> list[str]:
    return list(board_of(app).active.marks)


def _title(app: SchedlabApp) -> str:
    return way_of(app, "detail")


def _said(app: SchedlabApp) -> str:
    return screen_text(app).splitlines()[-1].strip()


def _acts(session: FakeSession) -> list[tuple[Any, ...]]:
    return [call for call in session.calls if call[0] not in {"hold", "definition"}]


def _words(app: SchedlabApp) -> str:
    assert isinstance(app.screen, ConfirmScreen)
    return app.screen.words


async def test_space_marks_the_row_and_goes_down() -> None:
    """A glyph stands before it, the title counts; space on a marked row takes the mark away."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space", "space")
        marked, place, title = _marks(app), board_of(app).active.number - 1, _title(app)
        lines = [line for line in screen_text(app).splitlines() if line[1:2] == "*"]
        await pilot.press("k", "space")
        after = _marks(app)

    assert (marked, place, "2 marked" in title) == ([FIRST, SECOND], 2, True)
    assert [line[3:9] for line in lines] == ["183354", "183330"]
    assert after == [FIRST]


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("1G ", "1 marked: 183301|has ended|"),
        ("1  j", "2 marked: 183354, 183330|together they have 60G/15c in 15 containers; 2 wait, longest 30s|K"),
        ("3  j", "2 marked: .84, .85|together 30 containers, 120G/30c of 200G/64c; 80G/34c free|D"),
    ],
)
async def test_the_strip_speaks_of_the_marked_rows(keys: str, lines: str) -> None:
    """Of all together, wherever the cursor stands; of the row under it again when no mark is left."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*("space" if key == " " else key for key in keys))
        marked = [line.strip() for line in screen_text(app).splitlines()[-4:-1]]
        await press(pilot, "escape")
        alone = screen_text(app)

    assert ("|".join([*marked[:2], marked[2][:1]]), marked[0] in alone) == (lines, False)


async def test_marks_of_what_is_gone_vanish() -> None:
    session = FakeSession(paused=True)
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space", "space")
        rows = tuple(row for row in session.snapshot.applications() if row.id != FIRST)
        session.change(fakes.FakeSnapshot(fakes.header(), 2, applications=rows))
        await pilot.pause()
        marked, title = _marks(app), _title(app)

    assert (marked, "1 marked" in title) == ([SECOND], True)


async def test_the_mouse_marks_in_the_gutter_and_with_ctrl() -> None:
    """A click beside the row, or anywhere with ctrl, marks it; a plain click does not."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click("#applications", offset=(0, 2))
        await pilot.click("#applications", offset=(9, 4), control=True)
        await pilot.click("#applications", offset=(9, 5))
        await pilot.pause()
        marked = _marks(app)

    assert marked == [FIRST, SECOND]


async def test_where_nothing_is_done_to_many_nothing_is_marked() -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "space", "asterisk")
        marked, said = _marks(app), _said(app)

    assert (marked, "rows are marked in 1 Applications and 3 Nodes" in said) == ([], True)


async def test_kill_takes_all_marked_and_asks_once() -> None:
    """One question with ids, sums and users; yes kills one by one; the marks are dropped."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("asterisk", "K")
        words = _words(app)
        fits = "n  Cancel" in screen_text(app)
        await press(pilot, "y")
        marked, said = _marks(app), _said(app)

    assert words.splitlines()[:3] == [
        "15 applications  of etl (13), mining (1), 报表 (1)",
        f"  {FIRST}  weekly-pyspark, mining",
        f"  {SECOND}  etl-183330, etl",
    ]
    for line in ("  and 10 more", "not    1 other: ended already"):
        assert line in words.splitlines()
    for words_of in ("180 containers  720G/180c", "11 nodes  440G free on them"):
        assert words_of in words
    assert ({type(act) for _, act in _acts(session)}, len(set(_acts(session))), fits) == ({KillApplication}, 15, True)
    assert (marked, said) == ([], "Killed 15.")


async def test_what_is_refused_of_many_is_told_and_the_rest_is_done() -> None:
    class Refusing(FakeSession):
        """Refuses to kill one."""

        async def do(self, act: Act) -> ActResult:
            _ = await super().do(act)
            return refused("it is protected." if act == KillApplication(SECOND) else "")

    session = Refusing()
    app = fake_app(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "space", "space", "space", "K", "y")
        said = _said(app)

    assert (len(_acts(session)), said) == (3, "! Killed 2 of 3. Refused: 183330: it is protected.")


async def test_refusals_that_do_not_fit_the_line_are_a_page() -> None:
    """Those with the same reason stand together; the line says how many were done."""
    session = FakeSession()
    session.refusal = "the queue it is in belongs to somebody else, who does not let you"
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1", "space", "space", "K", "y")
        page = app.screen
        assert isinstance(page, PageScreen)
        text = page.text
        await press(pilot, "escape")
        said = _said(app)

    assert (text, said) == (f"Killed 0 of 2.\n\nRefused:\n183354, 183330: {session.refusal}", "! Killed 0 of 2.")


async def test_marked_applications_move_together() -> None:
    """The queue is chosen once; those that are there already stay out of it."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space", "space", "space", "M", "2")
        words = _words(app)
        await press(pilot, "y")

    assert [line for line in words.splitlines() if line[:4] in {"Move", "from", "to  ", "not "}] == [
        "Move 2 applications?",
        "from   root.etl (2)",
        "to     root.report  used 0/0c of fair share 400G/128c",
        "not    1 other: ended or there already",
    ]
    assert _acts(session) == [
        ("do", MoveApplication(SECOND, "root.report")),
        ("do", MoveApplication(THIRD, "root.report")),
    ]


async def test_marked_nodes_are_drained_together_and_come_back_together() -> None:
    """What is drained keeps its containers until they end; when all are out the same key brings them back."""
    nodes = [fakes.node_row(f"n{i}", state="DECOMMISSIONED" if i > 2 else "RUNNING") for i in range(5)]
    session = FakeSession(fakes.FakeSnapshot(fakes.header(), 1, nodes=tuple(nodes)))
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3", "asterisk", "D")
        words = _words(app).splitlines()
        await press(pilot, "y", "home", "space", "space", "D", "y")

    assert [line for line in words if line[:5] in {"Take ", "keeps", "leave", "not  "}] == [
        "Take 3 nodes out?",
        "keeps  45 containers, 180G/45c, until they end",
        "leaves 9 of 12 nodes",
        "not    2 others: out of service already",
    ]
    assert _acts(session) == [
        *(("do", DrainNode(f"n{i}:45454")) for i in range(3)),
        *(("do", ReturnNode(f"n{i}:45454")) for i in (3, 4)),
    ]


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("kill 183330 183331", [("do", KillApplication(SECOND)), ("do", KillApplication(THIRD))]),
        ("kill 183330 183330", [("do", KillApplication(SECOND))]),
        (
            "move 183330 183331 root.adhoc",
            [("do", MoveApplication(SECOND, "root.adhoc")), ("do", MoveApplication(THIRD, "root.adhoc"))],
        ),
        ("drain 10.120.117.84 10.120.117.85", [("do", DrainNode(fakes.node_id(host))) for host in fakes.HOSTS[:2]]),
        ("kill 183330 7", []),
        ("drain 10.120.117.84 nowhere", []),
    ],
)
async def test_a_command_takes_several_names(line: str, calls: list[tuple[Any, ...]]) -> None:
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "colon", *line, "enter")
        if isinstance(app.screen, ConfirmScreen):
            await pilot.press("y")
        await pilot.pause()

    assert _acts(session) == calls


@pytest.mark.parametrize(
    ("confirm", "asked"), [("always", ["K", "P", "R", "D"]), ("loss", ["K", "P", "R", "D"]), ("never", [])]
)
async def test_a_setting_says_which_acts_ask(confirm: str, asked: list[str]) -> None:
    """Every one, those that lose something, none; without a question the act is done at once."""
    seen = []
    for key in ("K", "P", "R", "D"):
        session = FakeSession()
        app = fake_app(session, confirm=confirm)
        async with app.run_test(size=(80, 24)) as pilot:
            await press(pilot, "3", key)
            if isinstance(app.screen, ConfirmScreen):
                seen.append(key)
                assert _acts(session) == []
                await press(pilot, "y")
            assert len(_acts(session)) == 1

    assert seen == asked
