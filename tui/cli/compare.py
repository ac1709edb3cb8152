"""`schedlab compare`: the same work and faults under SOURCE as it is, and under each OTHER."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec

from engine.compare import Comparison, ComparisonCandidate, ExplainedDivergence, compared, partings_of
from engine.errors import ConfigError, Problems, did_you_mean
from engine.formats.regular_files import is_there
from engine.scenario import Scenario
from engine.scenario.scenario import POLICIES
from tui.cli.grammar import Given
from tui.cli.opened import note_start, opened, until_of
from tui.cli.play import Progress
from tui.cli.source import CONFIGURATION, SWEEP, TOML, NamedSource, asked, settings_of, source_of
from tui.cli.talk import announced, needs_terminal
from tui.pages.compare import SHOWN
from tui.pages.compare_text import comparison_csv, comparison_lines, comparison_markdown
from tui.session.definitions import ComparisonRequest, contestants_of
from tui.terminal.edges import listening

EXPLAINED: Final = 5  # Divergences whose reasons are said


def compare(given: Given) -> int:
    problems, found = Problems(), list[tuple[str, NamedSource | None]]()
    with problems.taken():
        source, targets = asked(given)
    for word in given.words[1:]:
        with problems.taken():
            found.append((word, _other_source(word, given)))
    problems.check()
    note_start(given, source, *(other for _, other in found if other is not None and other.kind != CONFIGURATION))
    on_screen = targets.on_stdout == "screen"
    if on_screen:
        needs_terminal(f"schedlab compare {' '.join(given.words)} -o text")
    if targets.has("html"):
        from tui.report.page import check_drawable  # noqa: PLC0415 -- only a report pays for it

        check_drawable("-o")
    with ExitStack() as stack:
        with announced(f"reading {source.name}"):
            scenario = stack.enter_context(opened(source, given, is_whole=True)).as_scenario()
            contestants = contestants_of(scenario, _wanted(found, given, stack))
        until_ms = until_of(given, max((each.scenario for each in contestants), key=lambda each: each.duration_ms))
        interruption = stack.enter_context(listening())
        with Progress(until_ms, scenario) as progress:
            comparison = compared(contestants, until_ms, is_stopped=interruption.came, progressed=progress.show)
    explained = comparison.divergences[: SHOWN if on_screen else EXPLAINED]
    with announced("asking for the reasons"):
        partings = partings_of(_played(contestants, comparison), explained, comparison.applications)
    document = {**msgspec.to_builtins(comparison, str_keys=True), "partings": msgspec.to_builtins(partings)}
    targets.answer(
        "compare/1",
        lambda: comparison_lines(comparison, partings),
        document,
        source.document(scenario.digest()),
        forms={
            "csv": lambda: comparison_csv(comparison),
            "md": lambda: comparison_markdown(comparison, partings),
            "html": lambda: _page(comparison, partings, scenario),
        },
    )
    if on_screen:
        from tui.cli.result_screens import look_at_comparison  # noqa: PLC0415 -- only a screen pays for textual

        look_at_comparison(_played(contestants, comparison), comparison, partings, settings_of(given))
    return interruption.code


def _wanted(found: Sequence[tuple[str, NamedSource | None]], given: Given, stack: ExitStack) -> ComparisonRequest:
    others: list[str | Path | tuple[str, Scenario]] = []
    for word, source in found:
        if source is None:
            others.append(word)
        elif source.kind == CONFIGURATION:
            others += source.paths
        else:
            bare = given._replace(values={**given.values, "set": ()})
            others.append((source.name, stack.enter_context(opened(source, bare, is_whole=True)).as_scenario()))
    return ComparisonRequest(others, ",".join((given.words[0], *given.many("set"))))


def _other_source(word: str, given: Given) -> NamedSource | None:
    if "=" in word or word.partition(",")[0] in POLICIES:
        return None
    try:
        found = source_of(word, given)
    except ConfigError:
        if "/" in word or is_there(Path(word)) or word.endswith(TOML):
            raise
        raise ConfigError.of(f"there is no policy {word}", key="OTHER", hint=did_you_mean(word, POLICIES)) from None
    if found.kind == SWEEP:
        raise ConfigError.of(f"{word} is a kept sweep and cannot be compared with", key="OTHER")
    return found


def _played(contestants: Sequence[ComparisonCandidate], comparison: Comparison) -> list[ComparisonCandidate]:
    return [each for each in contestants if each.letter not in comparison.refused]


def _page(comparison: Comparison, partings: tuple[ExplainedDivergence, ...], scenario: Scenario) -> str:
    from tui.report.compare import comparison_page  # noqa: PLC0415 -- only a report pays for matplotlib

    return comparison_page(comparison, partings, scenario, sys.argv[1:]).html()
