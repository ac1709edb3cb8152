"""The app of an instructor: the desk with the trainee's screen, keys and score, and the cluster of the same run."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.screen import Screen

from engine.errors import ConfigError
from engine.scenario import TimedAct
from engine.scenario.acts import Act, DrainNode, LoseNode, RestartNodeManager, ReturnNode, SetHealth
from engine.training.drill import DrillScenario
from engine.training.score import Score
from engine.training.steps import SENDER, step_of_words
from engine.units import UnitError, parse_instant, span
from tui.actions import ACTIONS, SEAT
from tui.app import SchedlabApp
from tui.dialogs.forms import Choice, MenuScreen
from tui.pages.exam import SeatSheet, seat_lines
from tui.panes.fragments import Fragments
from tui.panes.header import DrillClock
from tui.protocol import messages
from tui.protocol.picture import PRESET, ActResult
from tui.screens.drill import DrillAnswerScreen, InstructorScreen
from tui.screens.page import PageScreen
from tui.sharing.remote import RemoteSession

LOOK_S: Final = 0.5  # How often the trainee is looked at [s]

NODE_FAULTS: Final = (
    Choice("l", "lose a node: it falls silent, everything on it dies", "lose"),
    Choice("r", "return a node that was lost, drained or sick", "return"),
    Choice("s", "make a node sick", "sick"),
    Choice("h", "make a node healthy", "healthy"),
    Choice("n", "restart a node manager", "node_manager_restart"),
    Choice("d", "drain a node", "drain"),
    Choice("o", "another act, typed", "other"),
)
_NODE_ACTS: Final[Mapping[str, Callable[[str], Act]]] = {
    "lose": LoseNode,
    "return": ReturnNode,
    "sick": partial(SetHealth, healthy=False),
    "healthy": partial(SetHealth, healthy=True),
    "node_manager_restart": RestartNodeManager,
    "drain": DrainNode,
}  # Choice → what it does to a node

TYPED: Final = "\n".join((
    "resize node=n1 memory=8g vcores=4",
    "kill application=183354",
    "queue-setting queue=root.etl key=weight value=3",
    "preemption on=true",
    "reload file=PATH        (a fair-scheduler.xml)",
))  # fmt: skip
"""What is typed, by example."""
MESSAGE: Final = f"NAME: TEXT comes from NAME, TEXT alone from {SENDER}."
NOTE: Final = "Stands in the record and in the debrief, with the time; the trainee does not see it before."
BACK: Final = "3m or +3m after the drill's beginning, or a time of day. What was done since is undone."
SENDER_MOST: Final = 40  # Longest name of a sender
NO_TRAVEL: Final = "Only the trainee looks at the past; b on the desk goes back in the run."
NO_STEPS: Final = "Only the trainee plays on, at once or in steps; p freezes the clock."


def _sender_and_words(typed: str) -> tuple[str, str]:
    """Return the sender of a typed message, and its words.

    >>> _sender_and_words("ines, reports: late again"), _sender_and_words("it is 10:30")
    (('ines, reports', 'late again'), ('the data team lead', 'it is 10:30'))
    """
    sender, separator, words = typed.partition(": ")
    is_named = separator and words.strip() and 0 < len(sender.strip()) <= SENDER_MOST
    return (sender.strip(), words.strip()) if is_named else (SENDER, typed)


class InstructorApp(SchedlabApp):
    """One terminal beside a trainee's."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding(",".join(SEAT.keys), "desk", "seat", show=False, priority=True)]

    def __init__(
        self,
        remote: RemoteSession,
        drill: DrillScenario,
        score: Callable[[Sequence[str]], Awaitable[Score]],
        **options: Any,
    ) -> None:
        """A seat beside a trainee. `score` tells what a record is worth so far; not asked in an exam."""
        registry = (*options.pop("registry", ACTIONS), SEAT)
        clock = DrillClock("INSTRUCTOR", drill.scenario.start_ms + drill.ends_ms)
        super().__init__(remote, registry=registry, drill=clock, **options)
        self._remote, self._score = remote, score
        self.sheet = SeatSheet(drill)
        self._scored: tuple[str, ...] | None = None
        self._scoring: asyncio.Task[None] | None = None
        self._routes |= {
            "clock.toggle_pause": self.freeze,
            "clock.step": partial(self._refuse, NO_STEPS),
            "clock.travel": lambda where: self._refuse(NO_STEPS if where.startswith("play") else NO_TRAVEL),
            "clock.play_to": partial(self._refuse, NO_STEPS),
            "program.drill": self._desk_asked,
            messages.BackAtRoot: self._desk_asked,
            "clock.branch": partial(self._refuse, NO_TRAVEL),
        }

    async def on_mount(self) -> None:
        _ = self.set_timer(0.01, self.begin)

    def begin(self) -> None:
        if self.cluster is None:
            _ = self.set_timer(0.05, self.begin)
        elif self._desk is None:
            self.action_desk()
            _ = self.set_interval(LOOK_S, self.look)

    # Looking

    @property
    def _desk(self) -> InstructorScreen | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, InstructorScreen)), None)

    def _draw(self) -> None:
        if (desk := self._desk) is not None:
            desk.draw()

    def _drawn(self, width: int, height: int) -> Sequence[Fragments]:
        return seat_lines(self.sheet, width, height)

    async def look(self) -> None:
        lost = self._remote.link.lost_words
        trainee = None if lost else await self._remote.seat.trainee()
        self.sheet = self.sheet._replace(trainee=trainee or self.sheet.trainee, lost=lost)
        is_due = self._scoring is None or self._scoring.done()
        if trainee is not None and trainee.steps != self._scored and is_due and not self.sheet.drill.is_exam:
            self._scored = trainee.steps
            self._scoring = asyncio.get_running_loop().create_task(self._find_score(trainee.steps))
        self._draw()

    async def _find_score(self, steps: tuple[str, ...]) -> None:
        score = await self._score(steps)
        self.sheet = self.sheet._replace(score=score)
        self._draw()

    def say(self, words: str, severity: str = "information") -> None:
        self.sheet = self.sheet._replace(said=words)
        self._shared.tell(words, severity)
        self._draw()

    def _report(self, result: ActResult | None, done: str) -> None:
        refusal = "The connection is lost." if result is None else result.refusal
        self.say(refusal or done, "error" if refusal else "information")

    # Doing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key of the seat is one of the cluster screen, and a letter where something is typed."""
        if action != "desk":
            return super().check_action(action, parameters)
        cluster = self.cluster
        return cluster is not None and self.screen is cluster and not cluster.prompt.is_open

    def action_desk(self) -> None:
        if self._desk is None:
            _ = self.push_screen(InstructorScreen(self._shared.options.styles, self._drawn, self._do))

    async def _desk_asked(self, *_: object) -> None:
        self.action_desk()

    async def _refuse(self, words: str, *_: object) -> None:
        self.say(words, "warning")

    def _do(self, what: str) -> None:
        doings: Mapping[str, Callable[[], object]] = {
            "cluster": self.pop_screen,
            "message": lambda: self._ask(DrillAnswerScreen("Message", MESSAGE), self._message),
            "note": lambda: self._ask(DrillAnswerScreen("Note", NOTE), self._note),
            "inject": lambda: self._ask(MenuScreen("Inject", NODE_FAULTS), self._ask_node),
            "load": self._ask_load,
            "freeze": lambda: self.run_worker(self.freeze()),
            "back": lambda: self._ask(DrillAnswerScreen("Go back to", BACK), self._go_back),
            "screen": lambda: self.run_worker(self._show_screen()),
            "leave": self.exit,
        }
        _ = doings[what]()

    async def freeze(self) -> None:
        on = not (self.sheet.trainee is not None and self.sheet.trainee.frozen)
        result = await self._remote.seat.freeze(on=on)
        self._report(result, "The trainee's clock is paused." if on else "The trainee's clock is theirs again.")
        await self.look()

    async def _show_screen(self) -> None:
        lines = await self._remote.seat.screen_lines()
        words = "\n".join(lines or ("Nothing is there yet.",))
        _ = self.push_screen(PageScreen("The trainee's screen", words))

    def _ask(self, screen: Screen[str | None], take: Callable[[str], Awaitable[None]]) -> None:
        """Put a screen on top; `take` gets what is answered there, and nothing where it is left."""

        async def answered(words: str | None) -> None:
            if words:
                await take(words)

        _ = self.push_screen(screen, answered)

    async def _message(self, words: str) -> None:
        sender, said = _sender_and_words(words)
        self._report(await self._remote.seat.send_message(sender, said), "The message is on its way.")

    async def _note(self, words: str) -> None:
        self._report(await self._remote.seat.note(words), "Noted, with the time.")
        await self.look()

    async def _go_back(self, words: str) -> None:
        try:
            to_ms = parse_instant(words, self.sheet.drill.begins)
        except UnitError as error:
            self.say(str(error), "error")
            return
        self._report(await self._remote.seat.backtrack(to_ms), f"The drill goes on from +{span(to_ms)}.")

    # Faults and load

    async def _ask_node(self, fault: str) -> None:
        if fault == "other":
            self._ask(DrillAnswerScreen("Inject", TYPED), self._inject_typed)
            return
        picture = self.cluster.state.picture if self.cluster is not None else None
        rows = [] if picture is None else picture.snapshot.nodes()
        choices = [Choice("", f"{row.host}  {str(row.state).lower()}", row.id) for row in rows]

        async def chosen(node: str) -> None:
            await self._inject(_NODE_ACTS[fault](node), f"{fault.replace('_', ' ')} {node}")

        self._ask(MenuScreen("Which node", choices), chosen)

    async def _inject_typed(self, words: str) -> None:
        try:
            step = step_of_words(words, self.sheet.drill.begins)
        except ConfigError as error:
            self.say(str(error.problems[0]), "error")
            return
        if isinstance(step, TimedAct):
            await self._inject(step.act, words)
        else:
            self.say(f"{step.do} is not an act", "error")

    async def _inject(self, act: Act, words: str) -> None:
        acts = self._remote.acts
        assert acts is not None, "an instructor acts"
        self._report(await acts.do(act), f"Injected: {words}.")
        await self.look()

    def _ask_load(self) -> None:
        picture = self.cluster.state.picture if self.cluster is not None else None
        presets = [] if picture is None else list(picture.presets)
        choices = [Choice("", f"{one.name}  {one.about}", str(place)) for place, one in enumerate(presets)]

        async def chosen(place: str) -> None:
            await self._submit({**presets[int(place)].fields, PRESET: presets[int(place)].name})

        self._ask(MenuScreen("Submit", choices), chosen)

    async def _submit(self, fields: Mapping[str, str]) -> None:
        acts = self._remote.acts
        assert acts is not None, "an instructor acts"
        self._report(await acts.submit(fields), f"Submitted {fields.get('name', 'an application')}.")
        await self.look()
