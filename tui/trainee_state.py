"""What an instructor sees of a trainee: the screen, the keys, answers, hints and everything done so far."""

from collections.abc import Mapping

import msgspec


class TraineeScreen(msgspec.Struct, frozen=True):
    """What stands on the trainee's screen."""

    name: str = ""
    """What is on top: the cluster, an answer, a form; empty while nothing is known."""
    pane: str = ""
    selected: str = ""
    """Id of the row under the cursor; empty for none."""
    words: str = ""
    """The filter of that pane."""
    keys: tuple[str, ...] = ()
    """The latest keys, newest last, as the help spells them."""


class TraineeState(msgspec.Struct, frozen=True):
    """A trainee in the middle of a drill. Times are ms after the drill's beginning."""

    at_ms: int
    left_ms: int
    has_begun: bool
    """Whether the brief was read."""
    is_over: bool
    frozen: bool
    """Whether the instructor keeps the clock from running."""
    screen: TraineeScreen
    answers: Mapping[str, tuple[str, ...]]
    """What is asked → the last answer."""
    hints: int
    """How many were taken."""
    steps: tuple[str, ...]
    """The record so far, as JSON lines, oldest first."""
    unread: int
    """How many messages the trainee has not opened."""
