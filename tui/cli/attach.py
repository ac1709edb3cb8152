"""`schedlab drill join`: a second screen on a session in another terminal, or the instructor's seat beside a drill."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from engine.errors import ConfigError, Problem
from engine.training.drill import DrillScenario, load_drill
from engine.training.score import RecordPlayer
from engine.training.variation import varied
from tui.app import SchedlabApp
from tui.cli.grammar import Given
from tui.cli.source import settings_of
from tui.cli.talk import announced, needs_terminal, warn
from tui.instructor_app import InstructorApp
from tui.screens.requests import UnavailableMessages
from tui.sharing.link import INSTRUCTOR, READER, Link, Welcome, greet
from tui.sharing.meeting_place import (
    Address,
    SharedSessionEntry,
    address_in,
    default_folder,
    find,
    is_alive,
    open_door,
    shared_names,
)
from tui.sharing.remote import RemoteSession


@contextmanager
def shared_as(name: str) -> Iterator[SharedSessionEntry]:
    """Listen under a name, or under one like it, until the session is over."""
    opened = open_door(default_folder(), name)
    try:
        yield opened
    finally:
        opened.close()


def meet(name: str | None, role: str) -> tuple[Address, Welcome]:
    """The session of this name, or the only one, and what it says to a visitor in this role."""
    address = find(default_folder(), name, lambda words: warn(f"schedlab: {words}"))
    return address, greet(address, role)


SECOND_SCREEN: Final = "This is a second screen: "
ABSENT: Final = UnavailableMessages(
    clock=f"{SECOND_SCREEN}the clock is driven where the run is.",
    acts=f"{SECOND_SCREEN}nothing here changes the run.",
    questions=f"{SECOND_SCREEN}why something waits is asked where the run is.",
    copy="Not tried: this is a second screen, and copies are made where the run is.",
)


def drill_of(welcome: Welcome) -> DrillScenario:
    """The drill that is played there."""
    if welcome.drill is None:
        raise ConfigError([Problem("no drill is played there", welcome.name, hint="schedlab drill join looks on")])
    drill = load_drill(welcome.drill.source)
    drill = drill if welcome.drill.seed is None else varied(drill, welcome.drill.seed)
    return drill.as_exam() if welcome.drill.is_exam else drill


def seats(folder: Path) -> Iterator[str]:
    """A line for each drill that is shared in a folder: the name to sit down by, and its title."""
    for name in shared_names(folder):
        address = address_in(folder, name)
        welcome = greet(address, READER) if is_alive(address) else None
        if welcome is not None and welcome.drill is not None:
            yield f"{name}  {welcome.title}{', exam' * welcome.drill.is_exam}"


def join(given: Given) -> int:
    """Look on at a session of the user's, or instruct who plays a drill there; the exit code."""
    needs_terminal("schedlab get")
    name, is_reader = given.word(), not given.is_on("instruct")
    options = settings_of(given).screen_options(absent=ABSENT, read_only=is_reader)
    if is_reader:
        address, _ = meet(name, READER)
        screen: Any = SchedlabApp(RemoteSession(Link(address, READER)), **options)
    else:
        address, welcome = meet(name, INSTRUCTOR)
        drill = drill_of(welcome)
        with announced(f"playing {drill.name} up to its beginning"):
            player = RecordPlayer(drill)
        remote = RemoteSession(Link(address, INSTRUCTOR))
        screen = InstructorApp(remote, drill, lambda steps: asyncio.to_thread(player.score, steps), **options)
    screen.run()
    return screen.return_code or 0
