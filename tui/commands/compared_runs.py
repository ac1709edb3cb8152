"""The source of a comparison: a scenario, a kept run, a trace, or a ResourceManager's log."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import is_a_file
from engine.formats.scenario_toml import changed
from engine.scenario import Scenario
from engine.scenario.timed_acts import timed
from tui.commands.source import opened_source

TOML: Final = ".toml"


def source_scenario(
    name: str | None, logs: Sequence[Path], assignments: Sequence[str], runs: Path | None, *, is_trusted: bool
) -> Scenario:
    """The scenario of a source: a packaged one, a file, a kept run with its acts as script, a trace or a log.

    Raises:
        ConfigError: There is no such source, or something is wrong with it.
    """
    if (name is None) == (not logs):
        raise ConfigError(
            [Problem("name what is compared: a scenario, run, trace or log, or --from-log FILE", key="compare")]
        )
    path = Path(name) if name is not None else logs[0]
    if logs or (is_a_file(path) and path.suffix != TOML):
        return changed(_imported(list(logs) or [path]), assignments)
    with opened_source(str(name), assignments, runs, is_trusted=is_trusted) as source:
        scenario = source.scenario
        if not source.is_kept:
            return scenario
        run, acts = source.begun()
        script = tuple(timed(act, position[0] - scenario.start_ms) for position, act in acts)
        return scenario.model_copy(update={"script": script, "duration_ms": run.until_ms, "expectations": ()})


def _imported(files: Sequence[Path]) -> Scenario:
    from engine.formats.traces.read import read_traces  # noqa: PLC0415 -- only a trace or a log pays for the readers
    from engine.formats.traces.report import ImportReport  # noqa: PLC0415 -- as above
    from engine.formats.traces.to_scenario import imported_scenario  # noqa: PLC0415 -- as above
    from tui.commands.import_trace import reading  # noqa: PLC0415 -- as above

    report = ImportReport()
    with reading(files) as progressed, closing(read_traces(files, report, progressed=progressed)) as read:
        scenario = imported_scenario(read, report, name=files[0].name.split(".")[0] or "trace")
    if not scenario.workload:
        raise ConfigError([*report.problems[:10], Problem("no application can be played", str(files[0]))])
    return scenario
