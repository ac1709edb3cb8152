"""Small or regular documents that are large inside: each is read in a process of its own, with its time and memory."""

import os
import resource
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from random import Random
from typing import Final

from engine.errors import ConfigError, format_problems
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.hadoop_configuration import parse_configuration
from engine.formats.scenario_toml import loads
from tests.gates.attacks.tally import MEGABYTES, SECONDS, Tally, is_short

CLUSTER: Final = 'duration = "1m"\n[cluster]\nnodes = [{ host = "n1", memory = "8g", vcores = 8 }]\n'
NODE: Final = '{ host = "n%d", memory = "8g", vcores = 8 }'
ENTRY: Final = '[[workload]]\ntype = "scripted"\nuser = "u"\nname = "w%d"\nasks = [{ memory = "1g" }]\n'
STEP: Final = '[[script]]\nat = "1s"\ndo = "kill"\napplication = "%d"\n'
MAPS: Final = '[[workload]]\ntype = "mapreduce"\nuser = "u"\nmaps = 1000000\nrepeat = { times = 50, every = "1s" }\n'


def _each(pattern: str, count: int) -> str:
    return "".join(pattern % number for number in range(count))


def _allocations(inside: str, era: str = "2.7") -> object:
    return read_fair_scheduler(f"<allocations>{inside}</allocations>", era=era)


def _site(inside: str, before: str = "") -> object:
    return parse_configuration(f"{before}<configuration>{inside}</configuration>")


def _value(element: str, text: str, era: str) -> object:
    return _allocations(f'<queue name="a"><{element}>{text}</{element}></queue>', era)


def _grown(count: int) -> str:
    values = (f"<property><name>k{i}</name><value>{f'${{k{i + 1}}}' * 19}</value></property>" for i in range(count))
    return "".join(values) + f"<property><name>k{count}</name><value>{'v' * 40_000}</value></property>"


def _defaults(count: int) -> str:
    added = " ".join(f'a{number} CDATA "{"v" * 100}"' for number in range(count))
    return f"<!DOCTYPE a [<!ATTLIST property {added}>]>"


BOMBS: Final[Mapping[str, Callable[[], object]]] = {
    "entries": lambda: loads(CLUSTER + _each(ENTRY, 50_000)),
    "steps": lambda: loads(CLUSTER + _each(ENTRY, 10_000) + _each(STEP, 10_000)),
    "settings": lambda: loads(CLUSTER + "[settings]\n" + _each('"k%d" = "v"\n', 70_000)),
    "set": lambda: loads(CLUSTER + "[set]\n" + _each('"cluster.nodes.*.k%d" = "v"\n', 10_000)),
    "line ends": lambda: loads(CLUSTER + "\n" * 9_000_000),
    "comments": lambda: loads(CLUSTER + "# x\n" * 2_000_000),
    "one text": lambda: loads(f'about = "{"a" * 9_000_000}"\n' + CLUSTER),
    "quotes": lambda: loads("about = '''" + "''x" * 2_000_000 + "'''\n" + CLUSTER),
    "escapes": lambda: loads('about = "' + "\\\\" * 2_000_000 + '"\n' + CLUSTER),
    "unknown keys": lambda: loads(_each("k%d = 1\n", 33_000) + CLUSTER),
    "wrong tables": lambda: loads(CLUSTER + "[[workload]]\n" * 50_000),
    "groups": lambda: loads(CLUSTER + "[[cluster.groups]]\ncount = 100000\nmemory = 1\nvcores = 1\n" * 20),
    "nodes": lambda: loads('duration = "1m"\n[cluster]\nnodes = [' + _each(NODE + ", ", 30_000) + "]"),
    "unknown nodes": lambda: loads(CLUSTER + _each('[[faults]]\nat = 1\ndo = "lose"\nnode = "x%d"\n', 20_000)),
    "queue tables": lambda: loads("queues = [" + _each('{ name = "q%d" }, ', 10_000) + "]\n" + CLUSTER),
    "maps": lambda: loads(CLUSTER + MAPS),
    "lists": lambda: loads(CLUSTER + "a = [" + "1," * 1_000_000 + "]"),
    "brackets": lambda: loads(CLUSTER + "a = " + "[" * 50_000 + "]" * 50_000),
    "braces": lambda: loads(CLUSTER + "a = " + "{ a = " * 50_000 + "1" + "}" * 50_000),
    "dots": lambda: loads(".".join("a" * 50_000) + " = 1\n" + CLUSTER),
    "quoted dots": lambda: loads(" . ".join(['"a"'] * 50_000) + " = 1\n" + CLUSTER),
    "header dots": lambda: loads(CLUSTER + "[" + ".".join("a" * 50_000) + "]\n"),
    "digits": lambda: loads("seed = " + "9" * 100_000 + "\n" + CLUSTER),
    "hexadecimal": lambda: loads("seed = 0x" + "f" * 1_000_000 + "\n" + CLUSTER),
    "fraction": lambda: loads("x = 0." + "9" * 1_000_000 + "\n" + CLUSTER),
    "queues 2.7": lambda: _allocations(_each('<queue name="q%d"/>', 30_000)),
    "queues 3.4": lambda: _allocations(_each('<queue name="q%d"/>', 30_000), "3.4"),
    "deep queues": lambda: _allocations('<queue name="a">' * 190 + "</queue>" * 190, "3.4"),
    "reservations": lambda: _allocations(_each('<queue name="q%d"><reservation/></queue>', 20_000)),
    "unknown elements": lambda: _allocations(_each("<qu%d/>", 90_000)),
    "unknown attributes": lambda: _allocations("<queue " + _each('a%d="" ', 90_000) + 'name="a"/>'),
    "rules": lambda: _allocations(
        "<queuePlacementPolicy>" + '<rule name="x"/>' * 50_000 + "</queuePlacementPolicy>", "3.4"
    ),
    "weight": lambda: _value("weight", "1" * 1_000_000, "2.7"),
    "minimum 2.7": lambda: _value("minResources", "1" * 1_000_000, "2.7"),
    "minimum 3.4": lambda: _value("minResources", "1 " * 1_000_000, "3.4"),
    "list of users": lambda: _value("aclSubmitApps", " " * 5_000_000 + "x", "2.7"),
    "properties": lambda: _site(_each("<property><name>k%d</name><value>v</value></property>", 30_000)),
    "variables": lambda: _site(_grown(3_000)),
    "circle": lambda: _site(_each("<property><name>k%d</name><value>${k0}${k1}</value></property>", 20_000)),
    "defaults": lambda: _site("<property/>" * 90_000, _defaults(5_000)),
    "entities": lambda: _site("&a;", '<!DOCTYPE a [<!ENTITY a "x">]>'),
    "nesting": lambda: _site("<configuration>" * 50_000),
    "one line": lambda: _site("<property><name>a</name><value>" + "v" * 9_000_000 + "</value></property>"),
    "pieces": lambda: _site("<property><name>a</name><value>" + "v<!---->" * 1_000_000 + "</value></property>"),
}
"""Name → what reads it."""


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Read so many of them, all where there are no more."""
    tally = Tally("bombs", longest_s)
    names: Iterable[str] = BOMBS if count >= len(BOMBS) else Random(f"bombs {seed}").sample(list(BOMBS), count)
    inherited = _forked(lambda: 0)[1].ru_maxrss  # what this process holds already
    for name in names:
        tally.tried += 1
        begun = time.perf_counter()
        status, usage = _forked(partial(_outcome, name))
        spent = min(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime)
        megabytes = (usage.ru_maxrss - inherited) / 1024
        tally.worst_s, tally.worst_mb = max(tally.worst_s, spent), max(tally.worst_mb, megabytes)
        _judge(tally, name, os.waitstatus_to_exitcode(status), spent, megabytes)
    return tally


def _forked(call: Callable[[], int]) -> tuple[int, resource.struct_rusage]:
    """The status of a process that does this and ends with its number, and what it used."""
    pid = os.fork()
    if pid == 0:
        os._exit(call())
    _, status, usage = os.wait4(pid, 0)
    return status, usage


def _judge(tally: Tally, name: str, code: int, spent: float, megabytes: float) -> None:
    if code not in (0, 2):
        tally.mark(name, f"ended with {code}")
    elif spent > tally.longest_s or megabytes > MEGABYTES:
        tally.mark(name, f"took {spent:.1f} s and {megabytes:.0f} MB")
    elif code == 0:
        tally.accepted += 1
    else:
        tally.refused += 1


def _outcome(name: str) -> int:
    """Read one: 0 accepted, 2 refused, 1 anything else."""
    try:
        BOMBS[name]()
    except ConfigError as error:
        return 2 if is_short("\n".join(format_problems(error.problems))) else 3
    except Exception:  # noqa: BLE001 -- whatever else it is, it is what is looked for
        traceback.print_exc(limit=-2)
        return 1
    return 0
