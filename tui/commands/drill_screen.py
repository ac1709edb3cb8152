"""A drill on screen, one after the other as the trainee chooses; loads textual."""

from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from engine.errors import OutputError
from engine.training.curriculum import in_order
from engine.training.drill import DrillScenario
from engine.training.drill_file import load_drill, packaged_drills
from engine.training.history import best, keep_played, read_history
from tui.commands.progress import announced
from tui.commands.sharing import shared_as
from tui.drill_app import DrillApp
from tui.session.drill_play import DrillPlay
from tui.session.gc_tuning import settle
from tui.settings import UserSettings
from tui.sharing.shared_session import SharedSession


def play_on_screen(
    drill: DrillScenario,
    folder: Path,
    trainee: str,
    settings: UserSettings,
    *,
    seed: int | None = None,
    share: bool = False,
) -> None:
    """Play a drill on screen, then again, or the next one, as the trainee wants; each is kept in the history.

    With `share` others of the user's terminals may look on.

    Raises:
        ConfigError: A drill cannot be played, or the history cannot be read.
        OutputError: The history cannot be written.
    """
    names = [one.name for one in in_order([load_drill(name) for name in packaged_drills()])]
    chosen: DrillScenario | None = drill
    while chosen is not None:
        before = best(read_history(folder, trainee), chosen.name)
        place = names.index(chosen.name) + 1 if chosen.name in names else 1
        with announced(f"playing {chosen.name} up to its beginning"):
            play = DrillPlay(chosen, best=None if before is None else before.score, place=(place, len(names)))
        failures: list[OutputError] = []
        play.on_end = partial(_keep, play, folder, trainee, seed, failures)
        settle()
        with ExitStack() as stack:
            opened = stack.enter_context(shared_as(chosen.name)) if share else None
            screen = DrillApp(
                play,
                None if opened is None else SharedSession(play.session, opened, chosen.title),
                palette=settings.text("theme"),
                ascii_only=settings.is_on("ascii"),
                registry=settings.registry,
                save_folder=settings.folder("save_folder") or Path(),
                confirm=settings.text("confirm"),
            )
            screen.run()
        if failures:
            raise failures[0]
        chosen = _following(chosen, screen.chosen, names)


def _keep(play: DrillPlay, folder: Path, trainee: str, seed: int | None, failures: list[OutputError]) -> None:
    """Keep an exercise as soon as it has ended, whatever becomes of the terminal; failures wait for the screen."""
    try:
        keep_played(folder, trainee, play.kept(datetime.now(UTC).isoformat(timespec="seconds"), seed))
    except OutputError as error:
        failures.append(error)


def _following(drill: DrillScenario, answer: str, names: list[str]) -> DrillScenario | None:
    """What comes next: the same, the next in order, or nothing."""
    if answer == "again":
        return drill
    place = names.index(drill.name) + 1 if drill.name in names else 0
    return load_drill(names[place]) if answer == "next" and place < len(names) else None
