"""The numbers that pages state, beside what the program has.

A row is words of a page with `{}` for each number, and the values of the program. Numbers in code, in the words of
pictures, and on pages that the program writes are read by other tests.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from engine.compare.harms import LONGER, LONGER_MS
from engine.explain.alert import STILL_MS
from engine.formats.scenario_toml import load, loads
from engine.formats.traces.application import MappingRules
from engine.incremental import ANSWER_S
from engine.live.rest_client import LIGHT_MS
from engine.live.yarn_source import MANY
from engine.sweep.dask_workers import GONE_S, PATIENCE_S, RETRIES
from engine.sweep.runner import LATE, TRIES
from engine.training.bench import MOST_LINES, MOST_REFUSED
from engine.training.drill_check import WORTH_OF_WAY
from engine.training.steps import MOST_NAMES
from engine.training.tactics import BLUNT
from tests.gates import tactics
from tests.gates.attacks import crowd
from tests.gates.bench.table import measured, rows
from tests.invoke import said
from tests.manual.pages import WRITTEN
from tests.manual.shown import blocks
from tests.test_architecture import FILE_LINES, FUNCTION_LINES, NESTING, ROOT
from tui.cli.report import BUDGET_S
from tui.cli.sweep_play import STRAINS
from tui.screens.lessons import TOUR
from tui.serving.web_program import GRACE_S
from tui.settings import SETTINGS

WORDS: Final = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
FROZEN: Final = "reservation-deadlock"

Row = tuple[str, Callable[[], Sequence[object]]]


def word(count: float) -> str:
    """A number up to twelve in a word."""
    return WORDS[int(count)]


@cache
def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _python() -> list[str]:
    return [_project()["project"]["requires-python"].removeprefix(">=")]


@cache
def _speed() -> dict[str, tuple[str, str]]:
    """How many times as fast as the real class each build is, by row of the table of speed."""
    cells = [[cell.strip() for cell in line.split("|")] for line in rows(measured())[2:]]
    return {line[1]: (line[4], line[6]) for line in cells}


@cache
def _shown(place: int) -> Any:
    return loads(list(blocks(ROOT / "docs" / "explanation" / "schedulers.md", "toml"))[place].text)


def _asks(scenario: Any, place: int) -> Any:
    return scenario.workload[place].asks[0]


def _nodes(scenario: Any) -> tuple[str, str]:
    nodes = scenario.cluster.all_nodes()
    return word(len(nodes)).capitalize(), f"{nodes[0].memory_mb / 1024:g}"


def _fifo() -> list[object]:
    scenario = _shown(0)
    large, small = _asks(scenario, 0), _asks(scenario, 1)
    later = word(scenario.workload[1].at_ms / 1000)
    return [*_nodes(scenario), word(large.count), large.memory_mb // 1024, later, word(small.count), word(8)]


def _fair() -> list[object]:
    scenario = _shown(1)
    equals = [each.equals for each in scenario.expectations]
    total = sum(node.memory_mb for node in scenario.cluster.all_nodes())
    weights = [queue.weight for queue in scenario.queues]
    span = _asks(scenario, 1).duration_ms[0] / 1000
    return [word(weights[1] / weights[0]), word(span), equals[2] // 1024, total // 1024, equals[1] // 1024]


def _capacity() -> list[object]:
    settings = _shown(2).settings
    return [settings[f"yarn.scheduler.capacity.root.adhoc.{key}"] for key in ("capacity", "maximum-capacity")]


def _spark() -> list[object]:
    nodes, shell = _shown(3).cluster.all_nodes(), _shown(3).workload[0]
    counts = (len(nodes), nodes[0].vcores, shell.cores_max, shell.executor_cores)
    return [word(counts[0]).capitalize(), *map(word, counts[1:])]


def _weekly() -> list[object]:
    nodes = load(FROZEN).cluster.all_nodes()
    return [word(len(nodes)).capitalize(), nodes[0].memory_mb // 1024]


def _asked() -> list[object]:
    answer = said("why", [FROZEN, "183354", "--at", "10:43", "--budget", "1s"]).stdout
    found = re.search(r"(\d+) MB", answer)
    assert found is not None
    return [word(2), found[1]]


def _free() -> list[int]:
    """Percent of memory that is free in the freeze."""
    used = re.search(r"memory\D+(\d+)%", said("get", [FROZEN, "--at", "10:43"]).stdout)
    assert used is not None
    return [100 - int(used[1])]


def _thawed() -> list[str]:
    """After how many minutes nothing waits, where the holder is killed."""
    kill = 'script=[{do="kill", at="10:43", application="183354"}]'
    left = [said("get", [FROZEN, "--at", f"10:{43 + each}", "--set", kill, "-q"]).stdout for each in (1, 2)]
    return [next(word(each + 1) for each, text in enumerate(left) if "waiting 0" in text)]


RULES: Final = MappingRules()
NUMBERS: Final[Mapping[str, Sequence[Row]]] = {
    "README.md": (
        ("Nothing starts, and {} % is free", _free),
        ("Python {} or later", _python),
        ("| FairScheduler 2.7.2 | {} × | {} × |", lambda: _speed()["fair-1000"]),
        ("| FairScheduler 3.4.1 | {} × | {} × |", lambda: _speed()["fair34-1000"]),
        ("| FifoScheduler 2.7.2 | {} × | {} × |", lambda: _speed()["fifo-1000"]),
        ("| CapacityScheduler 2.7.2 | {} × | {} × |", lambda: _speed()["capacity27-1000"]),
        ("| CapacityScheduler 3.4.1 | {} × | {} × |", lambda: _speed()["capacity34-1000"]),
    ),
    "CONTRIBUTING.md": (
        ("at least {} % of its branches", lambda: [_project()["tool"]["coverage"]["report"]["fail_under"]]),
        ("among {} bad ones", lambda: [crowd.BAD]),
        ("150 to 500 lines and at most {}; functions at most {} lines", lambda: [FILE_LINES, FUNCTION_LINES]),
        ("nested at most {} deep", lambda: [NESTING]),
        ("each kill and {} trainees by chance", lambda: [tactics.SEEDS]),
    ),
    "docs/tutorial.md": (
        ("Python {} or later", _python),
        ("{} nodes of {} GB", _weekly),
        ("asks for {} containers of {} MB", _asked),
        ("in {} steps", lambda: [word(len(TOUR.steps) - 1)]),  # the last one says goodbye
        ("Within {} minutes nothing waits any more", _thawed),
    ),
    "docs/explanation/schedulers.md": (
        (
            "{} nodes of {} GB. `large` asks for {} containers of {} GB, `small`, {} seconds later, for {}. "
            "After ten seconds `large` has all {};",
            _fifo,
        ),
        (
            "Queue `b` has {} times the weight of queue `a`. Both ask for more than there is, in tasks of {} seconds. "
            "Within forty seconds `b` has {} of {} GB, and the share of `a` is {}.",
            _fair,
        ),
        ("`adhoc` is guaranteed {} % and limited to {} %", _capacity),
        ("{} workers of {} cores, an application that may have {} cores in executors of {}.", _spark),
    ),
    "docs/guides/check.md": (("longer by {:g} % and {:g} s", lambda: [round(100 * (LONGER - 1)), LONGER_MS / 1000]),),
    "docs/guides/drill.md": (
        ("at most {} points less than par", lambda: [WORTH_OF_WAY]),
        ("at most {} points by blunt tactics", lambda: [BLUNT]),
        ("{} trainees who act by chance", lambda: [tactics.SEEDS]),
        ("more than {:,} names", lambda: [MOST_NAMES]),
        ("drill.answer_seconds={:g}`", lambda: [one.default for one in SETTINGS if one.key == "drill.answer_seconds"]),
        ("has {} steps refused one after another, writes {:,} lines", lambda: [MOST_REFUSED, MOST_LINES]),
        ("a step (0: no limit)", list),
    ),
    "docs/guides/log-to-drill.md": (
        ("a map for each {} MB of input", lambda: [RULES.split_mb]),
        ("a reduce for each {} GB of shuffle", lambda: [RULES.reduce_mb // 1024]),
        ("take {:g} s to start and then move {:g} MB/s", lambda: [RULES.start_up_ms / 1000, RULES.map_mb_per_s]),
    ),
    "docs/guides/operate.md": (
        ("every {} seconds by default", lambda: [word(LIGHT_MS / 1000)]),
        ("up to a {} nodes and applications", lambda: [{1000: "thousand"}[MANY]]),
        ("has started or ended for {:g} s", lambda: [STILL_MS / 1000]),
    ),
    "docs/guides/sweep.md": (
        ("is played again, {} at most", lambda: [{3: "twice"}[TRIES]]),
        ("and {}", lambda: [list(STRAINS)[1]]),
    ),
    "docs/guides/sweep-on-a-cluster.md": (
        ("silent worker for {:g} s ({} times the longest point", lambda: [PATIENCE_S, word(LATE)]),
        ("handed in again, up to {}", lambda: [{2: "twice"}[RETRIES]]),
        ("no worker for {:g} s", lambda: [GONE_S]),
    ),
    "docs/guides/team.md": (("a page reload for {} minutes", lambda: [word(GRACE_S / 60)]),),
    "docs/reference/commands.md": (("Default: {:g}s, report {:g}m.", lambda: [ANSWER_S, BUDGET_S / 60]),),
}
"""Page → its rows."""
MEASURED: Final[Mapping[str, Sequence[str]]] = {
    "README.md": ("1,000 nodes",),
    "docs/tutorial.md": ("ending in 183354", "Kill 183354", "At 09:00"),
    "docs/explanation/fidelity.md": ("within 2 %", "The aim is 95 %", "until 84 s"),
    "docs/guides/log-to-drill.md": ("Alibaba 2018", "Google 2011"),
    "docs/guides/sweep-on-a-cluster.md": ("the port 8786", "40 workers of this call"),
}
"""Page → words with numbers that are names, of a machine, of a recording, or of other programs."""
_UNREAD: Final = (
    (r"^```.*?^```$|^    .*?$|`[^`]*`|<code>.*?</code>", re.MULTILINE | re.DOTALL),  # code
    (r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|<[^>]+>|https?://\S+", 0),  # pictures, links
    (r"^#+ \d+\.|^\|( [\w ,.%:-]+ \|){3,}$", re.MULTILINE),  # numbers of headings, tables of what was measured
    (r"\d+(?:\.\d+)+|MapReduce 1|exit code(?: is)? 1|\bk9s\b|\b(?:is|as) [01]\b", re.IGNORECASE),  # names
)


def untold(page: Path) -> Iterator[str]:
    """Rows whose words are not on a page, and its numbers that no row has."""
    name, raw = page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")
    for words, values in NUMBERS.get(name, ()):
        told = words.format(*values())
        pattern = r"\s+".join(map(re.escape, told.split()))
        if re.search(pattern, raw) is None:
            yield told
        raw = re.sub(pattern, "", raw)
    for pattern, flags in _UNREAD:
        raw = re.sub(pattern, "", raw, flags=flags)
    for words in MEASURED.get(name, ()):
        raw = raw.replace(words, "")
    if name not in WRITTEN:
        yield from (line.strip() for line in raw.splitlines() if re.search(r"\d", line))
