"""Acts are handed to the session one after the other, and what was done and refused is told."""

from pathlib import Path
from typing import Any

import pytest

from engine.scenario.acts import Act, KillApplication, Reload, SetReservationRule
from tests.tui.fake_session import FakeSession
from tests.tui.requests.standing import Standing, Without, acted, hand_over
from tui import messages
from tui.confirmation import ALWAYS, NEVER
from tui.picture import ActResult, ShareChange, refused
from tui.render.mark import ActLine
from tui.requests.acts import ActRequests
from tui.requests.context import NO_ACTS
from tui.screens.asking import ActsConfirmed
from tui.screens.confirm import ConfirmScreen
from tui.screens.page import PageScreen

KILLS: dict[str, Act] = {f"application_1_{number}": KillApplication(number) for number in (1, 2, 3)}
READ_ONLY = ("Read-only: nothing here changes the cluster.", "warning")


class Refusing(FakeSession):
    """Refuses some acts, each with its reason."""

    def __init__(self, reasons: dict[int, str], **run: Any) -> None:
        super().__init__(**run)
        self.reasons = reasons

    async def do(self, act: Act) -> ActResult:
        """As it was made."""
        assert isinstance(act, KillApplication)
        return refused(self.reasons.get(int(act.application), ""))


async def do(context: Standing, acts: dict[str, Act], done: str = "Killed {}.") -> None:
    """Do acts."""
    await hand_over(ActRequests(context), ActsConfirmed(acts, done))


async def test_one_act_is_done_and_told_by_its_name() -> None:
    """Refused, the reason is told."""
    context, against = Standing(), Standing(Refusing({1: "It is over."}))
    act = {"application_1_1": KillApplication(1)}
    await do(context, dict(act))
    await do(against, dict(act))

    assert context.session.calls == [("do", KillApplication(1))]
    assert context.told == [("Killed application_1_1.", "information")]
    assert against.told == [("It is over.", "error")]


async def test_without_acts_a_key_says_so() -> None:
    """Nothing is done."""
    context, closed = Standing(Without()), Standing(is_open=False)
    await do(context, KILLS)
    await do(closed, KILLS)

    assert (context.told, closed.told) == ([(NO_ACTS, "warning")], [])


async def test_several_acts_are_counted() -> None:
    """All of them done, in their order."""
    context = Standing()
    await do(context, KILLS)

    assert [act.application for _, act in context.session.calls] == [1, 2, 3]
    assert context.told == [("Killed 3.", "information")]


async def test_two_acts_are_several() -> None:
    """They are counted, too."""
    context = Standing()
    await do(context, dict(list(KILLS.items())[:2]))

    assert context.told == [("Killed 2.", "information")]


class Form:
    """A form on top, that shows problems or is closed."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []
        self.is_closed = False

    def show_problems(self, problems: list[str]) -> None:
        """Take note."""
        self.shown.append(problems)

    def dismiss(self, answer: object) -> None:
        """Be closed."""
        self.is_closed = answer is None


@pytest.mark.parametrize("problems", [[], ["user: nothing is given"]])
async def test_a_form_shows_its_problems_or_is_closed(problems: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong stands in it, and is not told once more."""
    monkeypatch.setattr("tui.requests.acts.SubmitScreen", Form)
    session, form = FakeSession(), Form()
    session.problems = problems
    context = Standing(session)
    context.fake_app.screen_stack.append(form)
    await hand_over(ActRequests(context), messages.SubmitFilled({"name": "mine"}))

    assert (form.shown, form.is_closed) == ([problems] if problems else [], not problems)
    assert context.told == ([] if problems else [("Submitted mine.", "information")])


async def test_a_form_of_a_setting_shows_why_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tried or done; it is not told once more."""
    monkeypatch.setattr("tui.requests.acts.QueueFormScreen", Form)
    session, form = FakeSession(), Form()
    session.refusal = "No such key."
    context = Standing(session, confirm=ALWAYS)
    context.fake_app.screen_stack.append(form)
    await hand_over(ActRequests(context), messages.QueueSettingTried("root.a", "wieght", "3"))
    await do(context, {"root.a": SetReservationRule("off")})

    assert (form.shown, form.is_closed, context.told) == ([["No such key."]] * 2, False, [])


async def test_reasons_of_those_refused_are_put_together() -> None:
    """Whoever has the same stands beside; a point at the end makes no other reason."""
    context = Standing(Refusing({1: "It is over.", 3: "It is over"}), width=120)
    await do(context, KILLS)

    assert context.told == [("Killed 1 of 3. Refused: 1, 3: It is over.", "error")]
    assert context.fake_app.pushed == []


@pytest.mark.parametrize("more", [0, 1])
async def test_reasons_that_fill_the_line_are_a_page(more: int) -> None:
    """A line has three cells to spare."""
    context = Standing(Refusing({1: "No.", 2: "Never."}))
    line = "Killed 1 of 3. Refused: 1: No; 2: Never."
    context.fake_app.size.width = len(line) + 3 + more
    await do(context, KILLS)

    if more:
        assert context.told == [(line, "error")]
        return
    [(page, _)] = context.fake_app.pushed
    assert isinstance(page, PageScreen)
    assert context.told == [("Killed 1 of 3.", "error")]
    assert page.text.splitlines() == ["Killed 1 of 3.", "", "Refused:", "1: No", "2: Never"]


@pytest.mark.parametrize(
    ("session", "offered"),
    [
        (acted(), []),
        (acted(5_000, 9_000), [ActLine.of("KillApplication", 9_000, "Killed application_1_1.")]),
        (FakeSession(), []),
    ],
)
async def test_an_act_can_be_undone_where_the_past_knows_it(session: FakeSession, offered: list[ActLine]) -> None:
    """The last one."""
    context = Standing(session)
    await do(context, {"application_1_1": KillApplication(1)})

    assert context.fake.offered == offered


@pytest.mark.parametrize(("reasons", "words"), [({}, "Killed 3."), ({2: "No."}, "Killed 2."), ({1: "", 2: "No."}, "")])
async def test_of_several_those_done_can_be_undone(reasons: dict[int, str], words: str) -> None:
    """None where none was."""
    session = Refusing(reasons or {}, track=acted(5_000).run.track)
    if not words:
        session.reasons = dict.fromkeys((1, 2, 3), "No.")
    context = Standing(session)
    await do(context, KILLS)

    assert context.fake.offered == ([ActLine.of("KillApplication", 5_000, words)] if words else [])


async def test_in_a_drill_nothing_is_undone() -> None:
    """Nor what was refused."""
    context, against = Standing(acted(5_000), drill=object()), Standing(Refusing({1: "No."}, track=acted(5).run.track))
    for each in (context, against):
        await do(each, {"application_1_1": KillApplication(1)})

    assert (context.fake.offered, against.fake.offered) == ([], [])


@pytest.mark.parametrize(
    ("options", "may", "killed", "told"),
    [({}, True, ["7"], []), ({}, False, [], []), ({"read_only": True}, True, [], [READ_ONLY])],
)
async def test_a_kill_is_asked_on_the_main_screen(
    options: dict[str, Any], may: bool, killed: list[str], told: list[tuple[str, str]]
) -> None:
    """Where keys that act are on."""
    context = Standing(**options)
    context.fake.may_kill = may
    await hand_over(ActRequests(context), messages.KillRequested("7"))

    assert (context.fake.killed, context.told) == (killed, told)


@pytest.mark.parametrize(("answer", "calls"), [(True, [("do", KillApplication(1))]), (False, []), (None, [])])
async def test_a_remedy_is_asked_first(answer: bool | None, calls: list[Any]) -> None:
    """Done when the user is sure."""
    context = Standing()
    event = messages.RemedyRequested(KillApplication(1), "kill 1", ["It holds all."])
    await hand_over(ActRequests(context), event)
    [(screen, answered)] = context.fake_app.pushed
    await answered(answer)

    assert isinstance(screen, ConfirmScreen)
    assert context.session.calls == calls
    assert context.told == ([("Done: kill 1.", "information")] if answer else [])


async def test_a_remedy_is_not_asked_where_nothing_acts() -> None:
    """It says so."""
    context = Standing(read_only=True)
    await hand_over(ActRequests(context), messages.RemedyRequested(KillApplication(1), "kill 1", []))

    assert (context.told, context.fake_app.pushed) == ([READ_ONLY], [])


async def test_a_file_is_loaded(tmp_path: Path) -> None:
    """Its text is the act; one that is not there is told."""
    path = tmp_path / "x.xml"
    path.write_text("<allocations/>")
    context = Standing()
    for name in (path, tmp_path / "none.xml"):
        await hand_over(ActRequests(context), messages.ReloadConfirmed(str(name)))

    assert context.session.calls == [("do", Reload("<allocations/>"))]
    assert context.told[0] == (f"Loaded {path}.", "information")
    assert (str(tmp_path / "none.xml") in context.told[1][0], context.told[1][1]) == (True, "error")


SHARES = (ShareChange("root.etl", 409600, 614400), ShareChange("root.adhoc", 409600, 307200))


@pytest.mark.parametrize(
    ("confirm", "refusal", "asked", "told"),
    [
        (ALWAYS, "", [SHARES], []),
        (NEVER, "", [()], []),
        (NEVER, "No such key.", [()], []),
        (ALWAYS, "No such key.", [], [("No such key.", "error")]),
    ],
)
async def test_a_setting_of_a_queue_is_tried_before_it_is_asked(
    confirm: str, refusal: str, asked: list[Any], told: list[tuple[str, str]]
) -> None:
    """With what it changes; where nothing is asked it is not tried."""
    session = FakeSession()
    session.refusal = refusal
    context = Standing(session, confirm=confirm)
    event = messages.QueueSettingTried("root.etl", "weight", "3")
    await hand_over(ActRequests(context), event)

    assert context.fake.asked == [(event, shares) for shares in asked]
    assert context.told == told


@pytest.mark.parametrize(
    ("problems", "told", "is_offered"),
    [
        ([], ("Submitted mine.", "information"), True),
        (["user: none", "memory: none"], ("user: none; memory: none", "error"), False),
    ],
)
async def test_a_form_is_submitted(problems: list[str], told: tuple[str, str], is_offered: bool) -> None:
    """Told by its name, or with every problem."""
    session = acted(7_000)
    session.problems = problems
    context = Standing(session)
    await hand_over(ActRequests(context), messages.SubmitFilled({"name": "mine"}))

    assert context.session.calls == [("submit", {"name": "mine"})]
    assert context.told == [told]
    assert context.fake.offered == ([ActLine.of("SubmitApplication", 7_000, "Submitted mine.")] if is_offered else [])


async def test_an_act_about_the_whole_cluster_has_no_name() -> None:
    """Its sentence is said as it is."""
    context = Standing()
    await do(context, {"": SetReservationRule("off")}, "The rule is off.")

    assert context.told == [("The rule is off.", "information")]
