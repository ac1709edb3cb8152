"""What the app needs of a session; whoever answers to this can be shown: a simulation now, a live cluster later."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from textual.message import Message

from engine.observe.spark_plans import PlanTables
from tui.answers import Asking, WhySubject
from tui.view_state import Definition, Picture

Post = Callable[[Message], object]
"""How a session reaches the app."""


class Door(Protocol):
    """What the app needs of a session; an act answers with why it was refused, or with nothing."""

    def start(self, post: Post) -> None:
        """Begin to drive the clock and to post `PictureChanged`."""

    async def close(self) -> None:
        """Stop driving; nothing is posted afterwards."""

    def picture(self) -> Picture:
        """What is to be seen now."""

    def drawn(self, took_s: float) -> None:
        """A picture was drawn, and how long that took; dear pictures become rarer."""

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""

    def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open; go on as before when it closes."""

    def step(self, unit: str) -> None:
        """Make one step, `second`, `event` or `decision`, and stand."""

    def travel(self, where: str) -> str:
        """Go through time: `back`, `on`, `mark.back`, `mark.on`, `live`, or a time; answers in words why not."""

    def branch(self) -> str:
        """Let the run go on from the past instant looked at; answers in words why not."""

    def change_speed(self, direction: int) -> None:
        """Run faster (+1) or slower (-1)."""

    def kill(self, application: str) -> str:
        """Kill an application by id."""

    def set_preemption(self, *, on: bool) -> str:
        """Switch preemption."""

    def set_reservation_rule(self, rule: str) -> str:
        """Choose the reservation rule."""

    def set_spread_out(self, *, on: bool) -> str:
        """Spread executors out, or pack them, from the next pass on."""

    def plans(self) -> Sequence[PlanTables]:
        """Plans of Spark's Master that gave cores, oldest first, then what a pass now would do; none under YARN."""

    def definition(self, kind: str, name: str) -> Definition | None:
        """How a `queue`, a `node` or an `application` was defined; None when there is no such thing."""

    def why(self, subject: WhySubject) -> Asking:
        """Ask why an application waits, or who waits at a place, at the instant looked at; nothing is changed by it."""

    def set_speed(self, speed: float) -> None:
        """Run at a speed [simulated seconds per second]; 0 is flat out."""

    def move(self, application: str, queue: str) -> str:
        """Move an application by id to a queue."""

    def try_queue_setting(self, queue: str, key: str, value: str) -> tuple[list[tuple[str, int, int]], str]:
        """What a setting of a queue would do, tried on a copy.

        Returns:
            (path, fair share before, fair share after [MB]) of every queue, and why it is refused, or nothing.
        """

    def set_queue(self, queue: str, key: str, value: str) -> str:
        """Change a setting of a queue."""

    def set_node_service(self, node: str, *, in_service: bool) -> str:
        """Take a node out of service or bring it back."""

    def submit(self, fields: Mapping[str, str]) -> list[str]:
        """Submit what a form says; every problem in words, none when it was submitted."""
