"""A drill on screen, one after the other as the trainee chooses; loads textual."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from engine.errors import ConfigError, OutputError
from engine.training.drill import DrillScenario, load_drill, packaged_drills
from engine.training.records import best, curriculum, keep_played, read_history
from engine.training.score import RecordPlayer
from engine.training.unfinished import BegunExercise, UnfinishedFile
from engine.training.variation import as_played
from tui.app import SchedlabApp
from tui.board.board import UnavailableMessages
from tui.cli.grammar import Given
from tui.cli.listening import needed_problems, port_of
from tui.cli.source import history_folder, recover_in, settings_of, this_trainee
from tui.cli.talk import ProgressBar, announced, hush, needs_terminal, warn
from tui.drill_app import BesideServer, DrillApp
from tui.instructor_app import InstructorApp
from tui.session.drill import DrillPlay
from tui.session.drill_seat import InstructorSession, session_of
from tui.session.driving import settle
from tui.sharing.link import INSTRUCTOR, READER, Link, SharedDrill, greet
from tui.sharing.remote import RemoteSession
from tui.sharing.session_server import SharedSession
from tui.sharing.socket_directory import address_in, default_folder, find, is_alive, open_door, shared_names

SIGNALLED: Final = 128  # Exit codes above it are of programs that a signal ended


def _served(drill: DrillScenario, port: int, log: Path | None) -> AbstractContextManager[BesideServer]:
    if problems := needed_problems():
        raise ConfigError(problems)
    from tui.cli.drill_serve import served_drill  # noqa: PLC0415 -- needs the extra `server`

    return served_drill(drill, port, log)


def play_on_screen(
    name: str, drill: DrillScenario, given: Given, seed: int | None = None, log: Path | None = None
) -> int:
    """Play a drill, or its variation of a `seed`, then again or the next one; each is kept. The exit code."""
    settings, folder, trainee = settings_of(given), history_folder(given), this_trainee(given.text("trainee"))
    recover_in(folder)
    port = port_of(given, 0) if given.is_on("listen") else None
    share = "-".join(filter(None, (drill.name, given.text("trainee"))))
    # Another process finds a file by its absolute path, and one that is packaged by its name.
    source = "" if name in packaged_drills() else str(Path(name).absolute())
    names = [one.name for one in curriculum().drills]
    chosen: DrillScenario | None = drill
    code = 0
    while chosen is not None:
        failures: list[OutputError] = []
        with ExitStack() as stack:
            server = None if port is None else stack.enter_context(_served(chosen, port, log))
            play = _begun(chosen, folder, trainee, names, server)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            begun = BegunExercise(trainee, source or chosen.name, now, seed, chosen.is_exam)
            unfinished = stack.enter_context(UnfinishedFile(folder, begun, f"{chosen.name}-{os.getpid()}"))
            play.on_end = partial(_keep, play, unfinished, folder, trainee, seed, failures)
            settle()
            opened = stack.enter_context(closing(open_door(default_folder(), share))) if given.is_on("share") else None
            told = SharedDrill(source or chosen.name, seed, chosen.is_exam)
            shared = None
            if opened is not None:
                seat, title = InstructorSession(play), play.drill.title
                shared = SharedSession(session_of(play), opened, title, drill=told, instructor=seat.parts, met=seat.met)
            screen = DrillApp(
                play,
                shared,
                server=server,
                kept=partial(_keep_steps, unfinished, play, failures),
                **settings.screen_options(at_loss=partial(keep_unfinished, play)),
            )
            if shared is not None:
                shared.pictures.last_words = lambda: _last_words(screen.return_code)  # noqa: B023 -- said before the next
            hush()
            screen.run()
        code = screen.return_code or 0
        if code or play.drill.is_exam:
            keep_unfinished(play)
        if failures:
            raise failures[0]
        chosen = _following(chosen, screen.chosen, names)
        if screen.chosen != "again":
            source, seed = "", None
    return code


def _begun(
    drill: DrillScenario, folder: Path, trainee: str, names: list[str], server: BesideServer | None
) -> DrillPlay:
    before = best(read_history(folder, trainee).played, drill.name)
    place = names.index(drill.name) + 1 if drill.name in names else 1
    with ProgressBar() as bar:
        return DrillPlay(
            drill,
            best=None if before is None else before.score,
            place=(place, len(names)),
            listeners=() if server is None else server.listeners,
            progressed=partial(bar.count, words=f"{drill.name} up to its beginning"),
        )


def _keep(
    play: DrillPlay, file: UnfinishedFile, folder: Path, trainee: str, seed: int | None, failures: list[OutputError]
) -> None:
    try:
        keep_played(folder, trainee, play.kept(datetime.now(UTC).isoformat(timespec="seconds"), seed))
        file.remove()
    except OutputError as error:
        failures.append(error)


def _keep_steps(file: UnfinishedFile, play: DrillPlay, failures: list[OutputError]) -> None:
    if failures:
        return
    try:
        file.keep(play.recorder.steps)
    except OutputError as error:
        failures.append(error)


def keep_unfinished(play: DrillPlay) -> None:
    """End an exercise whose terminal goes away in the middle, which keeps it as if it had ended there."""
    if play.has_begun:
        _ = play.finish()


def _last_words(return_code: int | None) -> str:
    if (return_code or 0) > SIGNALLED:
        return "The trainee's terminal went away; what was done is kept."
    return "The trainee has left the drill."


def _following(drill: DrillScenario, answer: str, names: list[str]) -> DrillScenario | None:
    if answer == "again":
        return drill
    place = names.index(drill.name) + 1 if drill.name in names else 0
    if answer != "next" or place == len(names):
        return None
    return load_drill(names[place]).as_exam() if drill.is_exam else load_drill(names[place])


# `schedlab drill join`: a second screen on a session in another terminal, or the instructor's seat beside a drill.


SECOND_SCREEN: Final = "This is a second screen: "
ABSENT: Final = UnavailableMessages(
    clock=f"{SECOND_SCREEN}the clock is driven where the run is.",
    acts=f"{SECOND_SCREEN}nothing here changes the run.",
    questions=f"{SECOND_SCREEN}why something waits is asked where the run is.",
    copy="Not tried: this is a second screen, and copies are made where the run is.",
)


def seats(folder: Path) -> Iterator[str]:
    """A line for each drill that is shared in a folder: the name to sit down by, and its title."""
    for name in shared_names(folder):
        address = address_in(folder, name)
        welcome = greet(address, READER) if is_alive(address) else None
        if welcome is not None and welcome.drill is not None:
            yield f"{name}  {welcome.title}{', exam' * welcome.drill.is_exam}"


def join(given: Given) -> int:
    needs_terminal("schedlab drill list --instruct")
    name, is_reader = given.word(), not given.is_on("instruct")
    options = settings_of(given).screen_options(absent=ABSENT, read_only=is_reader)
    address = find(default_folder(), name, lambda words: warn(f"schedlab: {words}"))
    role = READER if is_reader else INSTRUCTOR
    welcome = greet(address, role)
    remote = RemoteSession(Link(address, role))
    if is_reader:
        screen: Any = SchedlabApp(remote, **options)
    elif welcome.drill is None:
        raise ConfigError.of("no drill is played there", welcome.name, hint="schedlab drill join looks on")
    else:
        drill = as_played(load_drill(welcome.drill.source), welcome.drill.seed, is_exam=welcome.drill.is_exam)
        with announced(f"playing {drill.name} up to its beginning"):
            player = RecordPlayer(drill)
        screen = InstructorApp(remote, drill, lambda steps: asyncio.to_thread(player.score, steps), **options)
    screen.run()
    return screen.return_code or 0
