"""The index that completion reads: words that are the same for everybody, and what packaged scenarios name."""

from typing import Any

import msgspec

from engine.formats.file_schema import previews
from engine.formats.scenario_toml import packaged
from tui.cli.completion import PLACE, SCENARIO_KINDS, Index, ScenarioWords, index
from tui.cli.completion_words import fixed_words, scenario_words


def _scenario(name: str, digest: str, known: dict[str, ScenarioWords]) -> ScenarioWords:
    """The words of a scenario; those that are known are kept while its digest is the same."""
    kept = known.get(name)
    if kept is not None and kept.digest == digest and set(kept.words) == set(SCENARIO_KINDS):
        return kept
    return ScenarioWords(digest, {kind: tuple(scenario_words(name, kind)) for kind in SCENARIO_KINDS})


def completion_index() -> str:
    known = index().scenarios if PLACE.is_file() else {}
    scenarios = {name: _scenario(name, each.digest, known) for name, each in previews().items() if name in packaged()}
    parts = msgspec.to_builtins(Index(dict(sorted(fixed_words().items())), scenarios))
    lines = ",\n".join(f"{msgspec.json.encode(key).decode()}: {_lines(value)}" for key, value in parts.items())
    return f"{{\n{lines}\n}}\n"


def _lines(table: dict[str, Any]) -> str:
    """One line for each entry, so that a change is one line."""
    rows = (
        f"{msgspec.json.encode(key).decode()}: {msgspec.json.encode(value).decode()}" for key, value in table.items()
    )
    return "{\n" + ",\n".join(rows) + "\n}"
