"""The words after a verb, read into arguments; each mistake in words."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tui.actions import ACTIONS
from tui.acts.command import VERBS, CommandError, Names, parse
from tui.dialogs.submit import YARN_FORM, WordsError, read
from tui.protocol.picture import PRESET

Reader = Callable[[Sequence[str]], tuple[Any, ...]]
words = SimpleNamespace(**{verb.name: verb.read for verb in VERBS})
ONE, CHOSEN, SOME = words.sort, words.preempt, words.kill


@pytest.mark.parametrize(
    ("reader", "line", "arguments"),
    [
        (ONE, "n1", ("n1",)),
        (CHOSEN, "off", ("off",)),
        (SOME, "1", ("1",)),
        (SOME, "1 2 3", ("1 2 3",)),
        (words.priority, "5", ("", 5)),
        (words.priority, "7 0", ("7", 0)),
        (words.priority, "7 999999999", ("7", 999999999)),
        (words.goto, "", ("",)),
        (words.goto, "a b", ("a b",)),
        (words.speed, "60", (60.0,)),
        (words.speed, "x0.5", (0.5,)),
        (words.speed, "0", (0.0,)),
        (words.speed, "max", (0.0,)),
        (words.speed, "1000000", (1_000_000.0,)),
        (words.window, "all", (0,)),
        (words.window, "10s", (10_000,)),
        (words.window, "366d", (366 * 86_400_000,)),
        (words.move, "7 root.a", ("7", "root.a")),
        (words.move, "7 8 root.a", ("7 8", "root.a")),
        (words.set, "queue.root.a.weight 2", ("root.a", "weight", "2")),
        (words.set, "queue.root.a.maxResources 1 mb, 2 vcores", ("root.a", "maxResources", "1 mb, 2 vcores")),
        (words.set, "queue.a.b 1", ("a", "b", "1")),
        (
            words.set,
            "queue.root.a.accessible-node-labels.gpu.capacity 50",
            ("root.a", "accessible-node-labels.gpu.capacity", "50"),
        ),
        (words.set, "queue.root.a.b.ordering-policy fair", ("root.a.b", "ordering-policy", "fair")),
        (words.resize, "n1 2g 4", ("n1", 2048, 4)),
        (words.resize, "n1 1024 0", ("n1", 1024, 0)),
        (words.resize, f"n1 1m {2**31 - 1}", ("n1", 1, 2**31 - 1)),
        (words.add, "h 2g 4", ("h", 2048, 4, "")),
        (words.add, "h 2g 4 /r2", ("h", 2048, 4, "/r2")),
        (words.label, "n1", ("n1", "")),
        (words.label, "n1 gpu", ("n1", "gpu")),
        (words.label, "n1 default", ("n1", "")),
        (words.reload, "a file.xml", ("a file.xml",)),
        (words.user, "ann", ("applications", "user:ann")),
        (words.fault, "rm_restart", ("rm_restart", "")),
        (words.fault, "node_manager_restart n1", ("node_manager_restart", "n1")),
    ],
)  # fmt: skip
def test_words_become_arguments(reader: Reader, line: str, arguments: tuple[Any, ...]) -> None:
    assert reader(line.split()) == arguments


@pytest.mark.parametrize(
    ("reader", "line", "said"),
    [
        (ONE, "", "one field is wanted"),
        (ONE, "a b", "one field is wanted"),
        (CHOSEN, "", "one of on, off is wanted"),
        (CHOSEN, "onoff", "one of on, off is wanted"),
        (CHOSEN, "on off", "one of on, off is wanted"),
        (SOME, "", "one application or more are wanted"),
        *((words.priority, line, "an application and a whole number are wanted")
          for line in ("", "7 8 9", "7 -1", "1.5", "7 1000000000")),
        *((words.speed, line, "a speed is wanted: 60, 0.5, or max (also 0) for flat out")
          for line in ("", "fast", "-1", "-0.1", "1000001", "60 2", "nan")),
        *((words.window, line, "one like 10m, 1h or all is wanted")
          for line in ("", "9999ms", "367d", "x", "1h 2h")),
        *((words.move, line, "an application and a queue are wanted") for line in ("", "7")),
        *((words.set, line, "queue.PATH.KEY and a value are wanted")
          for line in ("", "queue.root.weight", "root.a.weight 2", "queue.weight 2")),
        *((words.resize, line, "a node, its memory and its vcores are wanted") for line in ("n1 1g", "n1 1g 2 3")),
        *((words.resize, line, "a number of vcores is wanted")
          for line in ("n1 1g x", "n1 1g -1", f"n1 1g {2**31}", "n1 1g ²")),
        *((words.add, line, "a host, its memory and its vcores are wanted, then maybe its rack")
          for line in ("h 1g", "h 1g 2 /r x")),
        *((words.label, line, "a node and a partition are wanted; without one it is the default partition")
          for line in ("", "n1 a b")),
        (words.reload, "", "the path of a fair-scheduler.xml is wanted"),
        (words.fault, "rm_restart n1", "rm_restart takes no name"),
        (words.fault, "node_manager_restart", "node_manager_restart takes the name of one node"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_in_words(reader: Reader, line: str, said: str) -> None:
    with pytest.raises(CommandError) as mistake:
        reader(line.split())

    assert str(mistake.value) == said


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ([], {}),
        (["preset=etl"], {PRESET: "etl"}),
        (["queue=root.a", "preset=x=y"], {"queue": "root.a", PRESET: "x=y"}),
    ],
)
def test_what_is_submitted_is_read_field_by_field(line: list[str], fields: dict[str, str]) -> None:
    assert read(line, YARN_FORM) == fields
    named = dict.fromkeys(YARN_FORM.words.values(), "1")
    assert read([f"{word}=1" for word in YARN_FORM.words], YARN_FORM) == named
    assert read([f"{field}=1" for field in named], YARN_FORM) == named


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["queue"], "'queue': there is preset="),
        (["what=1"], "'what=1': there is"),
        (["queue=a", "queue=b"], "queue is given twice"),
    ],
)
def test_a_word_that_is_no_field_is_a_mistake(line: list[str], said: str) -> None:
    with pytest.raises(WordsError) as mistake:
        read(line, YARN_FORM)

    assert str(mistake.value).startswith(said)


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("fault rm_lost", "cluster_acts.fault('rm_lost', '')"),
        ("fault node_manager_restart n1", "cluster_acts.fault('node_manager_restart', 'n1')"),
        ("fault master_lost weekly model", "cluster_acts.fault('master_lost', 'weekly model')"),
    ],
)
def test_a_command_names_a_fault_as_a_script_does(line: str, call: str) -> None:
    assert parse(line, ACTIONS, Names()) == call
