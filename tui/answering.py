"""Questions reach the session here, and their answers get a screen; the clock stands while one is open."""

from collections.abc import Sequence

from textual import on

from tui import export, messages
from tui import format as text
from tui.acting import ActingApp
from tui.keymap import Action
from tui.screens.why import WhyScreen


class AnsweringApp(ActingApp):
    """An app that hands questions of its screens to its door."""

    _ascii: bool
    _read_only: bool
    registry: Sequence[Action]

    def _tell(self, words: str, severity: str = "information") -> None:
        if isinstance(self.screen, WhyScreen):
            self.screen.tell(words, severity)
        else:
            super()._tell(words, severity)

    @on(messages.WhyRequested)
    def _why_requested(self, event: messages.WhyRequested) -> None:
        cluster, subject = self._cluster, event.subject
        if self._door is None or cluster is None or cluster.picture is None:
            return
        self._door.hold(held=True)
        picture, name = cluster.picture, text.short_node(subject.key) if subject.kind == "node" else subject.key
        screen = WhyScreen(
            self._door.why(subject),
            self._styles_by_name,
            cluster.look,
            export.stem(picture, f"why-{name}"),
            trail=event.trail,
            past=picture.run.present_ms is not None,
            registry=self.registry,
            ascii_only=self._ascii,
        )
        _ = self.push_screen(screen, self._answer_left)

    def _answer_left(self, _: None) -> None:
        if self._door is not None:
            self._door.hold(held=False)

    @on(messages.KillRequested)
    def _kill_requested(self, event: messages.KillRequested) -> None:
        if self._cluster is not None and self._cluster.check_action("kill_named", (event.number,)):
            self._cluster.action_kill_named(event.number)
        elif self._read_only:
            self._tell("Read-only: nothing here changes the cluster.", "warning")

    @on(messages.KillConfirmed)
    def _answers_are_old(self) -> None:
        """Close answers before the act that makes them old."""
        for screen in reversed([each for each in self.screen_stack if isinstance(each, WhyScreen)]):
            _ = screen.dismiss(None)
