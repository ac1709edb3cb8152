"""The app: looks, signals, how errors surface, and the one place where screens and the session meet.

Messages of screens go to the session, pictures of the session go to the screen; neither knows the other.
"""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.events import Key
from textual.filter import LineFilter

from engine.errors import EngineError
from engine.observe.spark_plans import first_to_show
from tui import crash, messages
from tui.answering import AnsweringApp
from tui.ascii_only import AsciiOnly
from tui.confirmation import LOSS
from tui.keymap import ACTIONS, Action
from tui.render.scenario import ScenarioEntry
from tui.saving import save
from tui.screens.cluster import ClusterScreen
from tui.screens.nouns import dialect_of
from tui.screens.picker import PickerScreen
from tui.screens.plans import PlansScreen
from tui.session_protocol import Door

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program with the terminal restored."""


def _writer_died(what: threading.ExceptHookArgs) -> None:
    """End at once when textual's writing thread dies because the terminal is gone: nobody is left to restore it for.

    Textual would wait for that thread for ever.
    """
    if isinstance(what.exc_value, OSError):
        os._exit(128 + signal.SIGHUP)
    if what.exc_value is not None:
        crash.report(what.exc_value)


class SchedlabApp(AnsweringApp):
    """One terminal, one run of one scenario."""

    TITLE = "schedlab"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        door: Door | None = None,
        *,
        entries: Sequence[ScenarioEntry] = (),
        open_door: Callable[[str], Door] | None = None,
        palette: str | None = None,
        ascii_only: bool = False,
        read_only: bool = False,
        registry: Sequence[Action] = ACTIONS,
        save_folder: Path | None = None,
        confirm: str = LOSS,
    ) -> None:
        """An app that shows `door`; without one, a picker over `entries` that opens what is chosen.

        Without a `palette`, `NO_COLOR` in the environment takes all colours away, unless it is empty. `registry` has
        the keys of the user's choice; what is saved goes to `save_folder`, the current one when it is None. `confirm`
        says which acts ask first.
        """
        super().__init__(palette)
        self.animation_level = "none"
        self._door = door
        self._entries = entries
        self._open_door = open_door
        self._ascii, self._read_only = ascii_only, read_only
        self._confirm = confirm
        self.registry = registry
        self.save_folder = save_folder or Path()
        self._cluster: ClusterScreen | None = None

    @property
    def cluster(self) -> ClusterScreen | None:
        """The main screen; None while the picker is open."""
        return self._cluster

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line passes before the terminal gets it; with `--ascii` nothing else than ASCII does."""
        return [*super().get_line_filters(), *([AsciiOnly()] if self._ascii else [])]

    def on_key(self, event: Key) -> None:
        """Give keys typed right after `/` or `:` to the prompt; none of them may act."""
        if self._cluster is not None and self.screen is self._cluster and self._cluster.prompt.takes(event):
            event.prevent_default()

    def on_mount(self) -> None:
        """Take the theme and the signals, then show the run or the picker."""
        self.register_palettes()
        # Only what differs: textual goes through the whole map at every key.
        self.set_keymap({action.id: ",".join(action.keys) for action in self.registry if action not in ACTIONS})
        if not self.is_headless:
            self._take_signals()
        if self._door is not None:
            self._show_run(self._door)
        else:
            _ = self.push_screen(PickerScreen(self._entries, self._styles_by_name, ascii_only=self._ascii))

    def _take_signals(self) -> None:
        threading.excepthook = _writer_died
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._end_by_signal, int(number))

    def _end_by_signal(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _show_run(self, door: Door) -> None:
        self._door = door
        self._cluster = ClusterScreen(
            self._styles_by_name,
            dialect=dialect_of(door.picture().snapshot),
            ascii_only=self._ascii,
            read_only=self._read_only,
            registry=self.registry,
            confirm=self._confirm,
        )
        _ = self.push_screen(self._cluster)
        door.start(self.post_message)

    async def on_unmount(self) -> None:
        """Let the session go."""
        if self._door is not None:
            await self._door.close()

    def _fatal_error(self) -> None:
        """Show one sentence instead of a traceback."""
        error = self._exception
        self.bell()
        self.panic(crash.report(error) if error is not None else "schedlab stopped.")

    @on(PickerScreen.Chosen)
    def _chosen(self, event: PickerScreen.Chosen) -> None:
        if self._open_door is None:
            return
        try:
            door = self._open_door(event.name)
        except EngineError as error:
            if isinstance(self.screen, PickerScreen):
                self.screen.show_problems(str(error).splitlines())
            return
        self._show_run(door)

    @on(messages.PictureChanged)
    def _picture_changed(self) -> None:
        if self._door is not None and self._cluster is not None and self._cluster.is_mounted:
            begun = time.perf_counter()
            self._cluster.show(self._door.picture())
            self._door.drawn(time.perf_counter() - begun)

    @on(messages.Noticed)
    def _noticed(self, event: messages.Noticed) -> None:
        self._tell(event.words, event.severity)

    @on(messages.SaveRequested)
    def _save_requested(self, event: messages.SaveRequested) -> None:
        try:
            paths = save(self.save_folder, event.stem, event.contents)
        except OSError as error:
            self._tell(f"Not saved: {self.save_folder}: {error.strerror or error}.", "error")
            return
        others = "".join(f", {path.suffix}" for path in paths[1:])
        absolute = f"Saved {paths[0].resolve()}{others}"
        self._tell(absolute if len(absolute) < self.size.width else f"Saved {paths[0]}{others}")

    @on(messages.PauseToggled)
    def _pause_toggled(self) -> None:
        if self._door is not None:
            self._door.toggle_pause()

    @on(messages.StepRequested)
    def _step_requested(self, event: messages.StepRequested) -> None:
        if self._door is not None:
            self._door.step(event.unit)

    @on(messages.TravelRequested)
    def _travel_requested(self, event: messages.TravelRequested) -> None:
        if self._door is not None and (words := self._door.travel(event.where)):
            self._tell(words, "warning")

    @on(messages.SpeedChanged)
    def _speed_changed(self, event: messages.SpeedChanged) -> None:
        if self._door is not None:
            self._door.change_speed(event.direction)

    @on(messages.HoldChanged)
    def _hold_changed(self, event: messages.HoldChanged) -> None:
        if self._door is not None:
            self._door.hold(held=event.held)

    @on(messages.PlansRequested)
    def _plans_requested(self, event: messages.PlansRequested) -> None:
        if self._door is None or self._cluster is None:
            return
        plans = self._door.plans()
        if not plans:
            self._tell("Nobody was given cores lately, and nobody wants any.")
            return
        self._door.hold(held=True)
        first = first_to_show(plans, event.application)
        look, colours = self._cluster.look, self._styles_by_name
        screen = PlansScreen(plans, first, colours, look, registry=self.registry, ascii_only=self._ascii)
        _ = self.push_screen(screen, self._plans_left)

    def _plans_left(self, _: None) -> None:
        if self._door is not None:
            self._door.hold(held=False)

    @on(messages.DefinitionRequested)
    def _definition_requested(self, event: messages.DefinitionRequested) -> None:
        if self._door is None or self._cluster is None:
            return
        definition = self._door.definition(event.kind, event.name)
        if definition is None:
            self._tell(f"Nothing defines the {event.kind} {event.name}.")
        else:
            self._cluster.show_definition(definition)

    @on(messages.SpeedChosen)
    def _speed_chosen(self, event: messages.SpeedChosen) -> None:
        if self._door is not None:
            self._door.set_speed(event.speed)
