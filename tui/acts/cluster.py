"""Acts on the whole cluster: submit, switches, settings of queues, going on from the past."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from engine.observe.snapshot import Header, Snapshot, column
from engine.observe.snapshots import queue_word
from engine.scenario.acts import (
    Act,
    FailOverResourceManager,
    LoseMaster,
    LoseResourceManager,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
)
from engine.settings.spark import SPREAD_OUT
from tui.acts.action_confirmer import ActionConfirmer
from tui.acts.applications import leaves
from tui.board.board import BoardScreen
from tui.dialogs import submit as submit_words
from tui.dialogs.queue import QueueFormScreen
from tui.dialogs.submit import SubmitScreen
from tui.pages.act_sheet import NO_ACTS, ActQuestion
from tui.panes.pane_view import queue_at
from tui.protocol import messages
from tui.protocol.picture import SessionState, ShareChange
from tui.terminal import format as text


class _Losses(NamedTuple):
    keeps: Mapping[str, str]  # Kind of what outlives a restart → the line that says so
    more: str
    application: str = "application"
    container: str = "container"

    def lines(self, snapshot: Snapshot) -> list[str]:
        header, states = snapshot.header, column(snapshot.containers(), "state")
        count = header.applications_running + header.applications_pending
        launched = sum(state not in ("RESERVED", "ALLOCATED") for state in states)
        containers, applications = _some(launched, self.container), _some(count, self.application)
        words = self.keeps.get(str(header.restart_keeps), "").format(containers=containers, applications=applications)
        reservations = f"{text.plural(header.nodes_held, 'reservation')}, " if header.nodes_held else ""
        return [words, f"loses  {reservations}{self.more}"]


def _some(count: int, noun: str) -> str:
    return text.plural(count, noun) if count else f"no {noun}s"


_OF_RESOURCE_MANAGER: Final = _Losses(
    {
        "containers": "keeps  {containers}; nothing new starts for the wait after its start",
        "applications": "loses  {containers}; each application has another attempt, which does not count as failed",
        "nothing": "loses  {applications} with {containers}: yarn.resourcemanager.recovery.enabled is not true",
    },
    "locality waits and the clocks of preemption",
)
_OF_JOB_TRACKER: Final = _Losses(
    {
        "applications": "loses  {containers}; each job runs again from its beginning, none of its tasks is kept",
        "nothing": "loses  {applications} with {containers}: mapred.jobtracker.restart.recover is not true",
    },
    "locality waits, and the list of jobs that ended",
    "job",
    "attempt",
)


class _Fault(NamedTuple):
    act: Callable[..., Act]
    title: str
    yes: str
    means: str  # What happens, with `whom` in it
    whom: str = ""  # Kind of what it is about, `node` or `application`; empty where there is only one
    losses: _Losses | None = None
    dialect: str = "yarn"  # The kind of cluster that knows it
    down: str = ""  # What happens where there is no answer


FAULTS: Final[dict[str, _Fault]] = {
    RestartResourceManager.do: _Fault(
        RestartResourceManager,
        "Restart the ResourceManager",
        "Restart it",
        "The ResourceManager stops, and starts again after five seconds.",
        down="The ResourceManager starts after five seconds.",
        losses=_OF_RESOURCE_MANAGER,
    ),
    FailOverResourceManager.do: _Fault(
        FailOverResourceManager,
        "Fail over",
        "Fail over",
        "The active ResourceManager crashes; the other one takes over when ZooKeeper has noticed.",
        losses=_OF_RESOURCE_MANAGER,
    ),
    LoseResourceManager.do: _Fault(
        LoseResourceManager,
        "Lose the ResourceManager",
        "Lose it",
        "The ResourceManager goes, and comes back only when it is restarted.",
        losses=_OF_RESOURCE_MANAGER,
    ),
    RestartNodeManager.do: _Fault(
        RestartNodeManager,
        "Restart a node manager",
        "Restart it",
        "The node manager of {whom} stops for ten seconds; its containers die with it unless it recovers them.",
        "node",
    ),
    LoseMaster.do: _Fault(
        LoseMaster,
        "Lose a master",
        "Lose it",
        "The application master of {whom} fails; its containers are lost and another attempt begins, if one is left.",
        "application",
    ),
    RestartJobTracker.do: _Fault(
        RestartJobTracker,
        "Restart the JobTracker",
        "Restart it",
        "The JobTracker stops, and starts again after five seconds.",
        down="The JobTracker starts after five seconds.",
        losses=_OF_JOB_TRACKER,
        dialect="mr1",
    ),
}  # Fault, as a script calls it → how it is asked for


def _fault_question(kind: str, whom: str, snapshot: Snapshot) -> ActQuestion:
    fault, header = FAULTS[kind], snapshot.header
    losses = [] if fault.losses is None else fault.losses.lines(snapshot)
    is_down = header.recovery is not None and header.recovery.is_down
    means = fault.down if is_down and fault.down else fault.means
    lines = (means.format(whom=text.plain(whom)), *(["", *losses] if losses else []))
    return ActQuestion(fault.title, lines, fault.yes, acts={whom: fault.act(*([whom] if fault.whom else []))})


RULES = ("strict", "limited", "off")  # The reservation rules in the order they are cycled
_PREEMPTION_MEANS: Final = {
    "on": "Preemption goes on: a queue below its share for its timeout has containers of others killed.",
    "off": "Preemption goes off: a queue below its share waits until containers of others end.",
}  # On or off → what it means
_RULE_MEANS: Final = {
    "strict": "a reserved node gives nothing to others, and no application's reservations are limited",
    "limited": "one application may reserve only a part of the nodes",
    "off": "no node is reserved any more",
}  # Reservation rule → what it means


def next_rule(now: object) -> str | None:
    """The reservation rule after this one; None where there is no rule to change."""
    if not isinstance(now, str) or not now:
        return None
    return RULES[(RULES.index(now) + 1) % len(RULES)] if now in RULES else RULES[0]


def _may_preempt(picture: SessionState) -> bool:
    """Tell whether preemption, once on, may kill containers: one queue is above its share, one below its wish."""
    above = below = False
    for row in leaves(picture):
        amounts = (row.used, row.fair_share, row.demand)
        used, share, wanted = (each[0] if isinstance(each, tuple) else 0 for each in amounts)
        above |= used > share
        below |= used < min(share, wanted)
    return above and below


def _setting_question(queue: str, key: str, value: str, shares: Sequence[ShareChange]) -> ActQuestion:
    changed = [one for one in shares if one.before_mb != one.after_mb]
    lines = [f"Set {key} of {queue} to {value}?", ""]
    width = max((len(one.queue) for one in changed[:12]), default=0)
    for what in dict.fromkeys(one.what for one in changed[:12]):
        lines.append(f"{what} of memory, before and after:")
        lines += [
            f"  {one.queue.ljust(width)}  {text.memory(one.before_mb):>7} -> {text.memory(one.after_mb):>7}"
            for one in changed[:12]
            if one.what == what
        ]
    lines += [f"  and {len(changed) - 12} more"] if len(changed) > 12 else []
    if shares and not changed:
        known = " or ".join(dict.fromkeys(one.what for one in shares)) or "fair share"
        lines.append(f"No {known} changes by it now.")
    lines += ["", "It holds until the queues are loaded from their file again."]
    return ActQuestion("Change a queue", tuple(lines), "Change it")


def _twin_question(picture: SessionState) -> ActQuestion:
    at = text.clock(picture.snapshot.header.time_ms, picture.run.offset_ms)
    lines = (
        f"A simulation of {text.plain(picture.run.name)} as it was at {at}; every act can be tried there.",
        "The cluster itself is not changed, and esc comes back to it.",
        "",
        "Where nothing lets one conclude how long containers run, it is as long again as their application has;",
        "the command `twin 10m APP=forever` says otherwise.",
    )
    return ActQuestion(f"Make the twin of {at}?", lines, "Make it")


class ClusterActs:
    def __init__(self, board: BoardScreen, asker: ActionConfirmer) -> None:
        self._board, self._asker = board, asker

    # Submitting

    def submit(self) -> None:
        picture, fields = self._board.state.picture, self._board.dialect.form.fields
        queues = [row.path for row in leaves(picture)]
        self._asker.open(SubmitScreen(self._beginnings(), fields=fields, presets=picture.presets, queues=queues))

    def _beginnings(self) -> Mapping[str, str]:
        pane = self._board.active
        return {} if pane.selected is None else pane.view.form_values(pane.selected)

    def submit_words(self, words: str) -> None:
        board = self._board
        form = board.dialect.form
        try:
            given = submit_words.read(words.split(), form)
        except submit_words.WordsError as error:
            board.say(f"submit: {error}")
            return
        fields = submit_words.fields_of(given, self._beginnings(), board.state.picture.presets, form)
        lines = [f"{name:<15} {words or '-'}" for name, words in fields.items()]
        question = ActQuestion("Submit", tuple(lines), "Submit")
        self._asker.ask(question, messages.SubmitFilled(fields), loses=False)

    # Switches

    @property
    def _header(self) -> Header:
        return self._board.state.picture.snapshot.header

    def toggle_preemption(self) -> None:
        self.choose_preemption("off" if self._header.preemption is True else "on")

    def choose_preemption(self, state: str) -> None:
        if isinstance(self._header.preemption, bool):
            act = {"": SetPreemption(state == "on")}
            loses = state == "on" and _may_preempt(self._board.state.picture)
            words, tried = _PREEMPTION_MEANS[state], act if loses else NO_ACTS
            question = ActQuestion("Preemption", (words,), f"Switch it {state}", acts=tried)
            self._asker.ask_to_act(question, f"Preemption is {state}.", act, loses=loses)
        else:
            self._board.say("This scheduler has no preemption to switch.")

    def cycle_reservation(self) -> None:
        self.choose_rule(next_rule(self._header.reservation_rule) or "")

    def choose_rule(self, rule: str) -> None:
        header = self._header
        if next_rule(header.reservation_rule) is None:
            self._board.say("This scheduler has no reservation rule to change.")
        else:
            act, means = {"": SetReservationRule(rule)}, _RULE_MEANS.get(rule, rule)
            words = f"The reservation rule becomes {rule}: {means}. It is {header.reservation_rule} now."
            tried = act if header.nodes_held else NO_ACTS
            question = ActQuestion("Reservation rule", (words,), f"Make it {rule}", acts=tried)
            self._asker.ask_to_act(question, f"Reservation rule is {rule}.", act, loses=bool(tried))

    def toggle_spread_out(self) -> None:
        self.choose_spread_out("off" if self._header.spread_out is True else "on")

    def choose_spread_out(self, state: str) -> None:
        if isinstance(self._header.spread_out, bool):
            words = f"Spreading executors out goes {state}, from the next pass on."
            question = ActQuestion("Spread out", (words,), "Do it")
            act = SetSetting(SPREAD_OUT.name, "true" if state == "on" else "false")
            mode = "spread executors out" if state == "on" else "pack executors on few workers"
            done = f"From the next pass on the Master will {mode}."
            self._asker.ask_to_act(question, done, {"": act})

    # Faults

    def restart(self) -> None:
        self.fault(self._board.dialect.terms.restart, "")

    def fault(self, kind: str, whom: str) -> None:
        picture = self._board.state.picture
        if FAULTS[kind].dialect != picture.snapshot.dialect:
            self._board.say(f"There is no {kind} here")
            return
        question = _fault_question(kind, whom, picture.snapshot)
        self._asker.ask_to_act(question, f"{question.title}: done.")

    # Queues

    def edit_queue(self) -> None:
        board, pane, picture = self._board, self._board.active, self._board.state.picture
        row = None if pane.selected is None else queue_at(pane.view, pane.selected, picture)
        if row is None:
            board.say("E needs a queue: press 2 and choose one.")
            return
        form = QueueFormScreen(
            picture.snapshot.queues(),
            row.path,
            picture.snapshot.header.dimensions,
            board.dialect.queue_settings,
            queue_word(picture.snapshot.header.scheduler),
        )
        self._asker.open(form)

    def set_queue(self, queue: str, key: str, value: str) -> None:
        _ = self._board.post_message(messages.QueueSettingTried(SetQueueSetting(queue, key, value)))

    def ask_queue_setting(self, event: messages.QueueSettingTried, shares: Sequence[ShareChange]) -> None:
        act = event.act
        question = _setting_question(act.queue, act.key, act.value, shares)
        self._asker.ask_to_act(question, f"{act.key} of {{}} is {act.value}.", {act.queue: act})

    # The configuration

    def reload(self) -> None:
        self._board.perform("command_line.open_with('reload ')")

    def reload_from(self, path: str) -> None:
        words = f"Load the queues from {text.plain(path)}? Queues that are not in it stay without a share."
        question = ActQuestion("Reload", (words,), "Load it")
        self._asker.ask(question, messages.AppCalled("cluster_acts.load", path))

    # The past

    def branch(self) -> None:
        picture, run = self._board.state.picture, self._board.state.picture.run
        if run.is_watched:
            self._asker.ask(_twin_question(picture), messages.AppCalled("program.make_twin"), loses=False)
            return
        if not self._board.state.is_past:
            self._board.say("B branches from the past: [ and { go there.")
            return
        here_ms = picture.snapshot.header.time_ms
        now, present = text.clock(here_ms, run.offset_ms), text.clock(run.present_ms or here_ms, run.offset_ms)
        lines = (f"The run goes on from {now} instead.", f"What happened from then to {present} is dropped.")
        self._asker.ask(ActQuestion(f"Branch at {now}?", lines, "Branch"), messages.AppCalled("clock.branch"))
