"""`schedlab tune`: SOURCE at many settings, on this machine or on a dask cluster; or the smallest that will do."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec

from engine import sweep
from engine.errors import ConfigError, Problem, Problems
from engine.formats.scenario_toml import dump
from engine.model.request import DIMENSIONS
from engine.scenario import Scenario
from tui.cli.grammar import Given
from tui.cli.opened import note_start, opened, until_of
from tui.cli.output import Targets
from tui.cli.source import SWEEP, NamedSource, asked, settings_of
from tui.cli.sweep_play import SizeSearch, SweepPlay, place_of, report_of
from tui.cli.talk import ProgressBar, announced, needs_terminal, note
from tui.pages.size_page import size_text
from tui.pages.tune import points_csv, summary_lines
from tui.panes.sensitivity_text import IF_ASSUMED
from tui.settings import UserSettings
from tui.terminal.edges import Interruption, listening, visible_lines

WIDEST: Final = 4  # Without a range the cluster is tried with up to so many times its nodes
GOAL: Final = "p95_wait"  # What is ranked by where nothing is said
SMALLEST: Final = "--smallest"
OF_A_SWEEP: Final = ("vary", "limit", "goal", "smallest", "set", "seeds", "sample", "search", "until")
"""Options that a kept sweep has its own of."""
SCHEDULER: Final = "scheduler"  # What a user calls the axis of policies


def tune(given: Given) -> int:
    (source, targets), settings = _asked(given), settings_of(given)
    on_screen = settings if targets.on_stdout == "screen" else None
    if on_screen is not None:
        needs_terminal(f"schedlab tune {source.name} -o text")
    if targets.has("html"):
        from tui.report.page import check_drawable  # noqa: PLC0415 -- only a report pays for it

        check_drawable("-o")
    place = place_of(given.text("dask"), given.whole("workers"))  # before a file is made: an address may be wrong
    with ExitStack() as stack:
        spec, store = stack.enter_context(_told(source, given, targets, settings))
        interruption = stack.enter_context(listening())
        if spec.is_sizing:
            search = SizeSearch(spec, place, store, is_strained=given.is_on("strained"))
            found = _sized(search, targets, interruption, on_screen)
        else:
            found = _swept(SweepPlay(spec, store, place), store, interruption, on_screen)
        lines = list(found.lines)
        if spec.assumed:
            lines = [IF_ASSUMED, *lines, *(f"assumed: {each}" for each in spec.assumed)]
        targets.answer(
            "tune/1",
            lambda: lines,
            {**found.document, "assumed": list(spec.assumed)},
            source.document(),
            forms={
                "csv": lambda: "".join(points_csv(found.points(), spec.axes)),
                "md": lambda: f"# {spec.name}\n\n```\n{visible_lines(lines)}```\n",
                "html": found.page,
            },
        )
    return interruption.code or int(found.is_wrong)


class _Found(NamedTuple):
    lines: Sequence[str]
    document: Mapping[str, Any]
    points: Callable[[], Iterable[sweep.StoredPoint]]
    is_wrong: bool  # True where a point failed, or nothing keeps the limit
    page: Callable[[], str] = str


def _asked(given: Given) -> tuple[NamedSource, Targets]:
    problems = Problems()
    for limit in given.many("limit"):
        with problems.taken():
            _ = sweep.limit_of(limit, "--limit")
    for words in given.many("vary"):
        with problems.taken():
            _ = sweep.axis_of(words)
    with problems.taken():
        _ = sweep.goal_named(given.text("goal") or GOAL, "--goal")
    with problems.taken():
        source, targets = asked(given)
    problems.check()
    return source, targets


@contextmanager
def _told(
    source: NamedSource, given: Given, targets: Targets, settings: UserSettings
) -> Iterator[tuple[sweep.SweepSpec, sweep.SweepStore]]:
    if source.kind == SWEEP:
        problems = [
            Problem(f"{source.name} has its own", key=f"--{option}") for option in OF_A_SWEEP if given.is_on(option)
        ]
        if problems:
            raise ConfigError(problems)
        with sweep.SweepStore.opened(source.paths[0]) as store:
            yield sweep.SweepSpec.of(store.about(), source.name), store
        return
    note_start(given, source)
    with announced(f"reading {source.name}"), opened(source, given, is_whole=True) as run:
        scenario = run.as_scenario()
    spec = _spec(scenario, given, settings)
    with ExitStack() as stack:
        kept = targets.file_of("sweep")
        path = kept or Path(stack.enter_context(TemporaryDirectory())) / f"{scenario.name}.sweep"
        if kept is not None and targets.force:
            kept.unlink(missing_ok=True)
        yield spec, stack.enter_context(sweep.SweepStore.created(path, spec.about()))
    if kept is not None:
        note(f"kept in {kept}")


def _spec(scenario: Scenario, given: Given, settings: UserSettings) -> sweep.SweepSpec:
    limits = tuple(sweep.limit_of(each, "--limit") for each in given.many("limit"))
    seconds, memory_mb = settings.number("tune.point_seconds"), settings.whole("tune.point_memory")
    is_sizing = given.is_on("smallest") or (bool(limits) and not given.is_on("vary"))
    _check_together(given, is_sizing=is_sizing)
    seeds = given.whole("seeds") or (3 if is_sizing else 1)
    axes = (_range(given.text("smallest") or sweep.NODES, scenario),) if is_sizing else _axes(given.many("vary"))
    if is_sizing and not limits:
        raise ConfigError.of("a limit decides what is small enough", key="--limit", hint="--limit 'p95_wait < 5m'")
    if not is_sizing:
        _check(scenario, axes)
    if seeds > 1 and any(axis.key == sweep.SEED for axis in axes):
        raise ConfigError.of("seeds vary already", key="--seeds", hint="either --seeds 3 or --vary seed=1,2,3")
    search = given.whole("search")
    goal = limits[0].goal.name if is_sizing else sweep.goal_named(given.text("goal") or GOAL, "--goal").name
    return sweep.SweepSpec(
        dump(scenario),
        scenario.name,
        axes,
        tuple(range(scenario.seed, scenario.seed + seeds)),
        sample=given.whole("sample"),
        trials=search,
        goal_name=goal,
        limit_texts=tuple(each.text for each in limits),
        until_ms=until_of(given, scenario) if given.is_on("until") else None,
        bounds=sweep.Bounds(seconds, memory_mb),
        dimensions=DIMENSIONS[scenario.system],
        assumed=tuple(each.words for each in scenario.assumed),
        is_sizing=is_sizing,
    )


def _check_together(given: Given, *, is_sizing: bool) -> None:
    idle = [("sample", "--search draws its own")] if given.is_on("search") else []
    if is_sizing:
        why = f"does nothing with {SMALLEST}, or a --limit alone"
        idle = [(option, why) for option in ("vary", "goal", "sample", "search")]
    else:
        idle += [("strained", f"is asked of {SMALLEST}, or of a --limit alone")]
    problems = [Problem(why, key=f"--{option}") for option, why in idle if given.is_on(option)]
    if problems:
        raise ConfigError(problems)


def _axes(vary: Sequence[str]) -> tuple[sweep.Axis, ...]:
    axes = [
        sweep.axis_of(each.replace(f"{SCHEDULER}=", f"{sweep.POLICY}=", 1) if each.startswith(SCHEDULER) else each)
        for each in vary
    ]
    twice = [axis.key for place, axis in enumerate(axes) if axis.key in {each.key for each in axes[:place]}]
    if twice:
        raise ConfigError.of(f"{twice[0]} varies twice", key="--vary")
    if not axes:
        hint = "--vary nodes=40..80/10 --vary scheduler=fair-3.4, or --limit 'p95_wait < 5m'"
        raise ConfigError.of("nothing varies", key="--vary", hint=hint)
    return tuple(axes)


def _check(scenario: Scenario, axes: Sequence[sweep.Axis]) -> None:
    refusals = [_refusal(scenario, axis) for axis in axes]
    problems = [_as_asked(problem) for error in refusals if error is not None for problem in error.problems]
    if problems:
        raise ConfigError(problems)


def _refusal(
    scenario: Scenario, axis: sweep.Axis
) -> ConfigError | None:  # That of its first value, where all are refused
    first = None
    for value in axis.values:
        try:
            sweep.varied(scenario, {axis.key: value})
        except ConfigError as error:
            first = first or error
        else:
            return None
    return first


def _as_asked(problem: Problem, option: str = "--vary") -> Problem:
    key = option if problem.key == "OTHER" else problem.key
    return msgspec.structs.replace(problem, key=key, file=problem.file.replace("--set ", f"{option} "))


def _range(text: str, scenario: Scenario) -> sweep.Axis:
    if "=" in text:
        axis = sweep.axis_of(text, SMALLEST)
        whole = [int(value) for value in axis.values if value.isdecimal()]
        if not whole or whole != list(range(whole[0], whole[0] + len(axis.values))):
            raise ConfigError.of("is not FROM..TO in whole numbers", f"{SMALLEST} {text}")
        key, low, high = axis.key, whole[0], whole[-1]
    else:
        key, low, high = text, 1, WIDEST * len(scenario.cluster.all_nodes())
    try:
        sweep.varied(scenario, {key: str(high)})
    except ConfigError as error:
        raise ConfigError([_as_asked(each, SMALLEST) for each in error.problems]) from None
    return sweep.Axis(key, (str(low), str(high)))


def _swept(
    played: SweepPlay, store: sweep.SweepStore, interruption: Interruption, on_screen: UserSettings | None
) -> _Found:
    if on_screen is None:
        with ProgressBar() as bar:
            played.play(interruption.came, lambda: bar.count(played.done, played.whole, played.rate))
    else:
        from tui.cli.result_screens import SweepWatch  # noqa: PLC0415 -- only a screen pays for textual

        SweepWatch(played, on_screen).look()
    view = played.view(is_running=False)
    document = {"scenario": view.spec.name, "file": str(store.path), **msgspec.to_builtins(view.summary)}
    is_wrong = "failed" in view.summary.counts or view.is_none_kept
    return _Found(list(summary_lines(view)), document, store.points, is_wrong, partial(report_of, view))


def _sized(search: SizeSearch, targets: Targets, interruption: Interruption, on_screen: UserSettings | None) -> _Found:
    if targets.has("html"):
        raise ConfigError.of("a page is of values that vary", key="-o", hint="md, json and csv tell a search")
    if on_screen is not None:
        from tui.cli.result_screens import look_at_search  # noqa: PLC0415 -- only a screen pays for textual

        view = look_at_search(search, interruption.came, on_screen)
    else:
        with ProgressBar() as bar:
            view = search.answer(interruption.came, lambda view: bar.draw(view.share, view.doing))
    sizing = msgspec.to_builtins(view.sizing) | {"goal": view.limit, "others": msgspec.to_builtins(view.others)}
    return _Found(list(size_text(view)), sizing, search.points, view.sizing.answer is None and not view.is_stopped)
