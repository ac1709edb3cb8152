"""`schedlab runs`: lists, deletes and repairs what `--keep` of `play`, `open` and `watch` has kept."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import ConfigError, Problems
from engine.recorded.polls_file import is_polls, repair_polls
from engine.recorded.polls_writer import KeptPolls, PollsInfo, open_polls, polls_info
from engine.run.run_reader import KeptRun, RunInfo, repair
from engine.run.run_store import check_deletable, delete, names
from engine.scenario.acts import Act
from engine.units import format_duration
from tui.cli.grammar import Given
from tui.cli.output import targets_of
from tui.cli.source import runs_folder
from tui.cli.talk import note
from tui.terminal import format as text


def list_runs(given: Given) -> None:
    problems = Problems()
    root, targets = runs_folder(given), targets_of(given)
    found = list[RunInfo | PollsInfo]()
    for name in names(root):
        with problems.taken():
            found.append(_info(root, name))
    width = max((len(info.name) for info in found), default=0)
    rows = list(map(_object, found))
    targets.answer("runs/1", lambda: (_row(info, width) for info in found), rows=rows)
    if not found and not problems.found:
        note(f"no run is kept in {root}; `schedlab play NAME --keep auto` keeps one")
    problems.check()


def _info(root: Path, name: str) -> RunInfo | PollsInfo:
    if is_polls(root, name):
        return polls_info(root, name)
    with KeptRun(root, name) as run:
        return run.info


def _row(info: RunInfo | PollsInfo, width: int) -> str:
    if isinstance(info, PollsInfo):
        begun, created = info.beginning, info.beginning.created
        lasts = format_duration(max(0, (info.until_ms - begun.start_ms) // 1000 * 1000))
        about = f"polls of {begun.where}, {begun.scheduler}, {lasts}"
    else:
        created, lasts = info.created, format_duration(info.until_ms - info.start_ms)
        about = f"{info.scenario}, {info.scheduler}, {lasts}, {text.plural(info.records, 'record')}"
    return f"{info.name:{width}}  {created[:16].replace('T', ' ')}  {about}{_state(info)}"


def _state(info: RunInfo | PollsInfo) -> str:
    if isinstance(info, RunInfo):
        failure, is_whole = info.failure, info.is_whole
    else:
        failure, is_whole = "" if info.end is None else info.end.failure, info.end is not None
    return "" if is_whole and not failure else f"  (cut off: {failure})" if failure else "  (incomplete)"


def run_object(root: Path, name: str) -> dict[str, Any]:
    if is_polls(root, name):
        return _object(polls_info(root, name))
    with KeptRun(root, name) as run:
        return _object(run.info) | {"acts_done": msgspec.to_builtins(run.acts())}


def _object(info: RunInfo | PollsInfo) -> dict[str, Any]:
    if isinstance(info, RunInfo):
        found: dict[str, Any] = msgspec.to_builtins(info)
        return found
    return {
        "name": info.name,
        **msgspec.to_builtins(info.beginning),
        "until_ms": info.until_ms,
        "is_whole": info.end is not None and not info.end.failure,
        "failure": "" if info.end is None else info.end.failure,
        "size_bytes": info.size_bytes,
    }


def delete_runs(given: Given) -> None:
    root, sure = runs_folder(given), given.is_on("yes")
    for name in given.words:
        check_deletable(root, name)
    if not sure and not sys.stdin.isatty():
        raise ConfigError.of("there is no terminal to ask on", key="runs rm", hint="--yes deletes")
    for name in given.words:
        if not sure:
            sys.stderr.write(f"Delete the kept run {name}? [y/N]: ")
            sys.stderr.flush()
        if sure or sys.stdin.readline().strip().lower() in ("y", "yes"):
            delete(root, name)
            note(f"deleted {name}")
        else:
            note(f"kept {name}")


def repair_run(given: Given) -> None:
    root, name = runs_folder(given), given.words[0]
    if is_polls(root, name):
        polls = repair_polls(root, name)
        kept = f"kept {text.plural(polls.polls, 'poll')} of {name}"
        cut = f"{kept}; cut off {text.plural(polls.cut_bytes, 'byte')} of {', '.join(polls.damaged)}"
        note(cut if polls.damaged else f"nothing of {name} is damaged")
        return
    done = repair(root, name)
    if not done.damaged_line:
        note(f"nothing of {name} is damaged")
    else:
        kept = f"kept {text.plural(done.records, 'record')} of {name}, up to line {done.damaged_line - 1:,}"
        note(f"{kept}; cut off {text.plural(done.cut_bytes, 'byte')}")


def run_lines(root: Path, name: str) -> list[str]:
    """What a kept run, or kept polls, are; of polls every one is read."""
    if is_polls(root, name):
        return _about_polls(polls_info(root, name), open_polls(root, name))
    with KeptRun(root, name) as run:
        return _about(run)


def _about_polls(info: PollsInfo, polls: KeptPolls) -> list[str]:
    begun, offset_ms = info.beginning, info.beginning.offset_ms
    keeps = format_duration(begun.keep_for_ms) if begun.keep_for_ms else "for ever"
    lines = [
        f"{info.name}: polls of {begun.where}",
        f"scheduler  {begun.scheduler}",
        f"kept       {begun.created} by schedlab {begun.program}, {keeps}",
        f"from       {text.moment(polls.first_ms, offset_ms)}",
        f"to         {text.moment(polls.now_ms, offset_ms)}{_state(info)}",
        f"polls      {polls.polls:,}",
        f"size       {info.size_bytes / 2**20:.1f} MB",
        f"alerts     {len(polls.alerts)}",
    ]
    return [*lines, *(f"  {text.moment(alert.found_ms, offset_ms)}  {alert.sentence}" for alert in polls.alerts)]


def _about(run: KeptRun) -> list[str]:
    info, scenario = run.info, run.scenario()
    offset = scenario.offset_ms
    why = f"cut off: {info.failure}" if info.failure else "incomplete: still running, or killed"
    ended = "" if info.is_whole else f" ({why})"
    lines = [
        f"{info.name}: {info.title}" if info.title else info.name,
        f"scenario   {info.scenario}, {info.scheduler}, seed {info.seed}",
        f"kept       {info.created} by schedlab {info.program}",
        f"from       {text.moment(info.start_ms, offset)}",
        *([f"goes on    from {info.parent} at {text.moment(info.branched_ms, offset)}"] if info.parent else []),
        f"to         {text.moment(info.until_ms, offset)}, {format_duration(info.until_ms - info.start_ms)}{ended}",
        f"journal    {text.plural(info.records, 'record')}, sha256 {info.journal_hash}",
        f"size       {info.size_bytes / 2**20:.1f} MB",
        f"acts       {info.acts}",
    ]
    lines += [f"  {text.moment(position[0], offset)}  {_act(action)}" for position, action in run.acts()]
    return lines


def _act(action: Act) -> str:
    fields = msgspec.to_builtins(action)
    return " ".join([fields.pop("kind"), *(f"{key}={value}" for key, value in fields.items())])
