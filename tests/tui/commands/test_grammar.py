"""The command line is learnt once: every verb with every kind of source, every form, exit code and old name."""

import csv
import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from xml.dom.minidom import parseString

import pytest

from engine.errors import ConfigError
from tests.invoke import said
from tests.stored import golden
from tui.cli.aliases import aliased
from tui.cli.grammar import understood
from tui.cli.help import verb_help
from tui.cli.options import OPTIONS
from tui.cli.verbs import KINDS, VERBS

RUNS_NOTHING = "conf is a configuration and runs nothing: compare SOURCE conf plays SOURCE with it, check conf reads it"
FOLLOWS = "watch follows a live cluster; play {} tells the alerts of this one"
HAPPENED = "{0} is what happened, nothing to check or import: get {0} -o x.toml makes a scenario of it"
RECORDED = "{0} is what happened, nothing to check: import {0} -o x.toml makes a scenario of it"
SOURCES: Final = ("small.toml", "trace.json", "kept", "rm.log", "rm1:8088", "conf")
SCREEN = "a screen needs a terminal"
ANSWERS = ""

MATRIX: Final = {
    "open": (*(SCREEN,) * 5, RUNS_NOTHING),
    "get": (ANSWERS,) * 6,
    "why": (*(ANSWERS,) * 5, RUNS_NOTHING),
    "fix": (*(ANSWERS,) * 5, RUNS_NOTHING),
    "play -q": (*(ANSWERS,) * 5, RUNS_NOTHING),
    "compare": (*(ANSWERS,) * 5, RUNS_NOTHING),
    "tune": (*(ANSWERS,) * 5, RUNS_NOTHING),
    "check": (ANSWERS, RECORDED, HAPPENED, RECORDED, ANSWERS, ANSWERS),
    "import": (
        "small.toml is a scenario already",
        ANSWERS,
        HAPPENED,
        ANSWERS,
        "rm1:8088 is a live cluster: get rm1:8088 -o now.toml writes how it stands now",
        RUNS_NOTHING,
    ),
    "watch": (*(FOLLOWS,) * 4, ANSWERS, RUNS_NOTHING),
}
"""Verb → what it says of a scenario, trace, kept run, log, live cluster and configuration; empty where it answers."""
MORE: Final = {
    "compare": ["fifo", "--until", "+20s"],
    "tune": ["--vary", "scheduler=fifo,fair-2.7", "--until", "+20s", "--workers", "1"],
    "fix": ["--budget", "100ms"],
    "watch": ["-o", "jsonl", "--rounds", "1"],
}


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("verb", MATRIX)
def test_every_verb_answers_every_kind_of_source_or_says_what_does(verb: str) -> None:
    wrong = []
    for source, message in zip(SOURCES, MATRIX[verb], strict=True):
        result = said(verb, [source, *MORE.get(verb, ())])
        is_right = message.format(source) in result.stderr if message else result.stdout and not result.exit_code
        if not is_right or (message and result.exit_code != 2):
            wrong.append((source, result.exit_code, result.output[-300:]))

    assert wrong == []


# Forms.


def _table(text: str) -> bool:
    rows = list(csv.reader(text.splitlines()))
    return len({len(row) for row in rows}) == 1


def _lines(text: str) -> bool:
    return all(json.loads(line) is not None for line in text.splitlines())


PARSED: Final[dict[str, Callable[[str], Any]]] = {
    "text": lambda text: bool(text.strip()),
    "json": lambda text: {"schema", "schedlab", "source", "at", "assumed", "unknown"} <= {*json.loads(text)},
    "jsonl": _lines,
    "journal": _lines,
    "csv": _table,
    "toml": tomllib.loads,
    "html": lambda text: text.startswith("<!doctype html>"),
    "md": lambda text: "|" in text or text.startswith("#"),
    "svg": parseString,
    "xml": parseString,
    "junit": parseString,
    "sls": json.loads,
    "sls-nodes": json.loads,
    "rest": json.loads,
    "sarif": json.loads,
    "gitlab": json.loads,
    "github": lambda text: all(line.startswith("::") for line in text.splitlines()),
    "rm-log": lambda text: "INFO" in text,
    "swim": lambda text: all("\t" in line for line in text.splitlines()),
}
ELSEWHERE: Final = ("screen", "png", "sweep", "witness")
"""Forms that are no text on stdout: each has a test of its own."""
OTHERWISE: Final = {"settings": "conf settings"}
FORMED: Final = {
    "why": "small.toml 183354",
    "fix": "small.toml --budget 20s",
    "play": "small.toml -q",
    "compare": "small.toml fifo",
    "tune": "small.sweep",
    "check": "conf --against conf",
    "import": "trace.json",
    "drill list": "",
    "drill show": "quiet-shift",
    "drill new": "pattern-queue-limit --at +5m",
    "runs": "",
    "settings": "",
}


LINES: Final = {
    **{f"get {OTHERWISE.get(kind, f'small.toml {kind}')} --budget 20s": forms for kind, forms in KINDS.items()},
    **{f"{verb} {words}".strip(): VERBS[verb].forms for verb, words in FORMED.items()},
}


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("line", LINES)
def test_every_form_is_produced_and_is_of_its_kind(line: str) -> None:
    """The first on stdout, each of the others in a file."""
    first, *others = (form for form in LINES[line] if form not in ELSEWHERE)
    files = [word for form in others for word in ("-o", f"{form}:{form}.out")]
    result = said("", [*line.split(), "-o", first, *files])
    texts = {first: result.stdout} | {form: Path(f"{form}.out").read_text(encoding="utf-8") for form in others}

    assert result.exit_code == 0, result.output
    assert [form for form, text in texts.items() if PARSED[form](text) is False] == []


@pytest.mark.usefixtures("sources")
def test_a_file_gets_the_form_of_its_ending_and_is_never_replaced_unasked() -> None:
    first = said("get small.toml -o a.toml")
    again = said("get small.toml -o a.toml")

    assert (first.exit_code, first.stdout, again.exit_code) == (0, "", 2)
    assert "a.toml: is there already (-f replaces it)" in again.stderr
    assert said("get small.toml -f -o a.toml").exit_code == 0
    assert said("play small.toml -o jsonl:a.jsonl -o text:a.txt -o json").exit_code == 0
    assert Path("a.jsonl").read_text() == said("play small.toml -o jsonl").stdout
    assert Path("a.txt").read_text() == said("play small.toml").stdout


# Usual tasks.

TASKS: Final = """
get
get day.toml
get day.toml queues
get day.toml apps user:u -o csv
get day.toml nodes --at +10s -o json
get day.toml events -o jsonl:events.jsonl
get day.toml series containers -o csv:series.csv
get day.toml workload
get day.toml picture -o day.svg --size 120x40
get day.toml report --budget 20s -o day.md
get prod
get prod apps state:ACCEPTED
get prod -o now.toml
get conf settings
get kept
get rm.log report -o incident.html
get rm.log alerts
why day.toml --at +10s
why rm.log 183354 --at 09:00:03
why prod queue/root.mining
why day.toml node/n1 -o json
fix prod 0012 --budget 1s
fix day.toml --at +2s --budget 20s --from-start
play day.toml -q
play day.toml -q -o junit:play.xml
play kept -q
play prod -q --until +1m
compare day.toml fair-3.4 -o r.html
compare day.toml nodes=2 fifo --until +20s
compare day.toml conf
tune day.toml --limit 'p95_wait < 5m' --workers 1
tune day.toml --vary nodes=1..2 --vary scheduler=fair-3.4,fifo -o day.sweep -o tuned.html --workers 1
tune day.sweep
check conf --nodes 40x128g/32
check conf --against conf --workload day.toml -o change.md
check day.toml
check prod
import trace.json -o imported.toml --nodes 40x64g/16
watch prod --rounds 1 -o jsonl
runs
runs rm kept --yes
drill list
drill show quiet-shift
drill new pattern-queue-limit --at +5m -o drill.toml
settings theme
help output
"""
"""What people do: look, ask, try, follow, train and keep house; one after the other."""


@pytest.mark.usefixtures("sources")
def test_usual_tasks_are_done_by_the_words_of_the_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[cluster.prod]\nurl = "rm1:8088"\n', encoding="utf-8")
    monkeypatch.setenv("SCHEDLAB_SETTINGS", str(settings))
    Path("small.toml").rename("day.toml")
    results = {line: said("", shlex.split(line)) for line in TASKS.strip().splitlines()}
    wrong = {line: each.output[-200:] for line, each in results.items() if each.exit_code}

    assert wrong == {}
    assert {"now.toml", "incident.html", "play.xml", "day.sweep", "change.md", "drill.toml"} <= {
        path.name for path in tmp_path.iterdir()
    }


# Exit codes.


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("play small.toml -q", 0),
        ("why pattern-queue-limit --at +5m", 0),
        ("play small.toml -q --set \"expectations=[{of='cluster',what='containers',at='+5s',equals=9}]\"", 1),
        ("tune small.toml --limit 'worst_wait < 1ms' --smallest nodes=1..1 --workers 1", 1),
        ("check small.toml --set sed=1", 1),
        ("watch rm1:8088 --rounds 1 -o jsonl --alarm 'nodes > 1'", 1),
        ("play small.toml -o journal:/nowhere/at/all", 2),
    ],
)
def test_exit_codes_say_answered_wrong_or_not_answered(line: str, code: int) -> None:
    result = said("", shlex.split(line))

    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("sources")
def test_an_error_is_an_object_where_json_was_asked_for() -> None:
    result = said("play nowhere -o json")
    document = json.loads(result.stdout)

    assert (result.exit_code, document["schema"]) == (2, "error/1")
    assert set(document["errors"][0]) == {"message", "file", "line", "key", "hint"}


# Options and help.


def test_an_option_has_one_meaning_and_every_help_fits_80_columns() -> None:
    helps = {name: verb_help(name) for name in VERBS}

    assert len({option.help for option in OPTIONS.values()}) == len(OPTIONS)
    assert all(name in OPTIONS for verb in VERBS.values() for name in verb.options)
    assert {*OPTIONS} == {name for verb in VERBS.values() for name in verb.options}
    assert max(len(line) for text in helps.values() for line in text.splitlines()) <= 80
    assert max(len(verb.shown) for verb in VERBS.values()) <= 14


@pytest.mark.parametrize(("verb", "option"), [("tune", "seeds"), ("tune", "sample"), ("tune", "workers")])
def test_a_count_has_a_largest_one(verb: str, option: str) -> None:
    most = int(OPTIONS[option].most)
    assert understood(verb, ["x", f"--{option}={most}"]).whole(option) == most
    with pytest.raises(ConfigError, match=f"is not a whole number from 1 to {most}"):
        understood(verb, ["x", f"--{option}={most + 1}"])


# Old names.


OLD_LINES: Final = """
snapshot a.toml --section queues --csv
snapshot a.toml --at 10:43 --json
picture a.toml --pane nodes
picture a.toml --why 183354 -o x.svg
runs list
runs open monday
runs show monday
runs delete monday
runs export monday --series nodes
runs export monday --run -o x.json
scenario list
scenario show a --toml
scenario check a.toml
scenario schema --drill
workload describe trace.json
workload export trace.json --as sls -o x.json
twin http://rm1:8088 -o now.toml
config conf --era 3.4
config --check conf
config --check conf --witness out
sweep a.toml --policy fair-3.4 --policy fifo -o day.sweep
sweep --resume day.sweep
sweep a.toml --tune p95_wait --trials 20
size a.toml --wait 'p95<5m'
drill check quiet-shift --vary 3
drill from monday --around 10:43
drill history
drill next
drill bench quiet-shift --agent a=b
drill replay quiet-shift --best
drill words quiet-shift
drill play quiet-shift --vary 3 --debrief x.html
drill play quiet-shift --acts steps.jsonl --serve --port 8090
watch rm1:8088 --headless
watch rm1:8088 --metrics 9100
web open a.toml
web --port 8080 --visitors 3 open a.toml
attach
instruct
yarn application -list
why a.toml --app 183354
why a.toml --queue root.etl --json
why a.toml --app 183354 --remedies
fix a.toml --app 183354
compare a.toml --with fair-3.4 --report x.html
compare --from-log rm.log fifo
play a.toml --journal j --rm-log l --apps-json r
play a.toml --json
play a.toml --fair-scheduler f.xml --yarn-site y.xml
play a.toml --runs here --keep
play a.toml --keep-as monday
open rm.log rm.log.1
open a.toml --theme light --no-ascii --no-paused
import trace.json --policy fifo --container 1g,1 --node-size 64g,16 --nodes 40
import trace.json --between 1h 2h --split 128m --map-rate 10
serve a.toml --bind 127.0.0.1 --port 8090 --no-token
demo --again
""".strip().splitlines()


def test_every_old_form_becomes_the_new_one_with_one_notice(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for line in OLD_LINES:
        words = aliased(shlex.split(line))
        verb = " ".join(words[:2]) if " ".join(words[:2]) in VERBS else words[0]
        assert understood(verb, words[len(verb.split()) :])
        notices = capsys.readouterr().err.splitlines()
        assert len(notices) == 1, line
        assert notices[0].endswith("; it goes in 3.0")
        told.append(f"{line}\n    {shlex.join(words)}")

    assert "\n".join(told) == golden("aliases", "\n".join(told))
