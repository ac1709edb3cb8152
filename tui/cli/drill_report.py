"""`schedlab drill report`: what a class did, or one try told once more."""

import csv
import io
from collections.abc import Mapping, Sequence

from engine.errors import ConfigError, Problem
from engine.training.drill import load_drill
from engine.training.records import ClassTry, PlayedDrill, curriculum, latest, read_class, recommended, replayed
from tui.cli.drill_play import history_folder, recover_in, retold
from tui.cli.grammar import Given
from tui.cli.output import enveloped, json_text, targets_of
from tui.cli.source import settings_of
from tui.cli.talk import announced
from tui.report.drill_class import class_csv, class_page
from tui.terminal.edges import visible_lines


def report(given: Given) -> int:
    """Tell of the last try of each trainee at each drill, played again; or of one try. The exit code.

    Raises:
        ConfigError: A drill was played by nobody, or a history cannot be read.
    """
    if given.is_on("try"):
        if len(given.words) != 1:
            raise ConfigError([Problem("name one drill", key="--try")])
        return retold(given, targets_of(given, default="text"))
    targets, folder = targets_of(given, only_files=True), history_folder(settings_of(given))
    recover_in(folder)
    histories = read_class(folder)
    wanted = _wanted(histories, given.words)
    seats = {name: name if given.is_on("names") else f"seat {number}" for number, name in enumerate(histories, 1)}
    tries = []
    for trainee, kept in latest(histories, wanted):
        with announced(f"playing {kept.drill} of {seats[trainee]} again"):
            tries.append(replayed(seats[trainee], kept, load_drill(kept.drill)))
    following = {seats[name]: recommended(history, curriculum().drills) for name, history in histories.items()}
    rows = _rows(tries)
    targets.write(
        {
            "csv": lambda: class_csv(tries),
            "html": lambda: class_page(tries, wanted, following).html(),
            "json": lambda: json_text(enveloped("class/1", None, {"items": rows})),
            "text": lambda: visible_lines("  ".join(f"{cell:>10}" for cell in row.values()) for row in rows),
            "md": lambda: _markdown(rows),
        }
    )
    return 0


def _rows(tries: Sequence[ClassTry]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(class_csv(tries))))


def _markdown(rows: Sequence[Mapping[str, str]]) -> str:
    heads = list(rows[0]) if rows else []
    lines = [heads, ["---"] * len(heads), *(list(row.values()) for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _wanted(histories: Mapping[str, Sequence[PlayedDrill]], drills: Sequence[str]) -> list[str]:
    known = list(dict.fromkeys(one.drill for history in histories.values() for one in history))
    strange = [name for name in drills if name not in known]
    if strange or not known:
        words = f"{strange[0]} was played by nobody" if strange else "nothing was played"
        raise ConfigError([Problem(words, key="NAME", hint=f"there is {', '.join(known) or 'nothing'}")])
    return list(drills) or known
