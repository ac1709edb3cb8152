"""Scenarios that show what a finding of `cluster_lint` says: one in which somebody waits, and one with the way out.

They are written in `witnesses.toml`. Each states as an expectation what its application `victim` is given, so that
playing it proves it.
"""

import tomllib
from importlib.resources import files
from string import Template
from typing import Any, Final, NamedTuple

from engine.formats.finding import Finding

_HEAD: Final = 'title = "{title}"\nduration = "10m"\nscheduler = "{scheduler}"\n'


class Witness(NamedTuple):
    """Two scenarios as TOML."""

    hurts: str
    """It stands as the finding says."""
    helps: str
    """The same with the way out."""


def witness_of(finding: Finding, scheduler: str) -> Witness | None:
    """The two scenarios of a finding under a scheduler, e.g. `fair-2.7`; None where nobody can be seen waiting."""
    tables = tomllib.loads((files("engine.formats") / "witnesses.toml").read_text(encoding="utf-8"))
    kind = scheduler.partition("-")[0]
    table = tables.get(f"{finding.rule}-{kind}") or tables.get(finding.rule)
    if table is None:
        return None
    title = finding.rule.replace("-", " ")
    given = {name: f"{value:.10g}" for name, value in finding.values.items()}
    given |= {name: tables[name].get(kind, "").strip() for name in ("site", "counting", "two")}

    def text(which: str, title: str) -> str:
        head = _HEAD.format(title=title, scheduler=scheduler)
        return f"{head}{_filled(table['scenario'], table[which], given)}{tables['expectation'][which]}"

    return Witness(text("hurts", title), text("helps", f"{title}, mended"))


def _filled(scenario: str, chosen: dict[str, Any], given: dict[str, str]) -> str:
    """The text of a scenario with every name replaced by what was chosen, or given."""
    values = {name: Template(str(value)).substitute(given) for name, value in chosen.items()}
    return Template(scenario).substitute(given | values)
