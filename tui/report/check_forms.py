"""What `schedlab check` found, as text and in the forms that other programs read.

Source: SARIF 2.1.0, OASIS; GitLab, Code Quality report format; GitHub Actions, workflow commands.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final
from urllib.parse import quote

import msgspec

from engine.formats.finding import Severity
from engine.formats.named_problems import KNOWN, NamedProblem
from engine.observe.journal import program_version
from engine.settings.capacity_scheduler import PREFIX
from tui.report.page import Html, JunitCase, ReportPage, ReportPart, junit, markdown_of, sections_of
from tui.terminal.format import indented, plural

WIDTH: Final = 100
PLAYED: Final = ("scenario", "drill")  # Kinds of targets that are told a line for each thing found
HOME: Final = "urn:schedlab:check"  # A URI, as SARIF asks for one
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")


class CheckBlock(msgspec.Struct, frozen=True):
    title: str
    columns: tuple[str, ...] = ()  # Heads; empty where the rows have none
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[NamedProblem, ...] = ()


class CheckedTarget(msgspec.Struct, frozen=True):
    """One thing that was looked at: the configuration of a cluster, a scenario, a drill, or what a change does."""

    name: str
    kind: str
    about: str  # What it is, in few words
    problems: tuple[NamedProblem, ...]
    kept: tuple[str, ...] = ()  # What was looked at and is as promised
    blocks: tuple[CheckBlock, ...] = ()  # What a change does, where it is one
    details: Mapping[str, Any] = {}  # The same for programs  (Any: what JSON holds)

    def count(self, severity: Severity) -> int:
        return sum(each.severity == severity and not each.ignored for each in self.problems)


def sentence_of(named: NamedProblem) -> str:
    """A problem without its place: key, what is wrong, the way out and the class that does it."""
    problem = named.problem
    key = f"{problem.key}: " if problem.key else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"{key}{problem.message}{hint}"


def text_lines(targets: Sequence[CheckedTarget]) -> list[str]:
    """Each target with its problems, worst first, and what comes of it."""
    if all(target.kind in PLAYED for target in targets):
        return [line for target in targets for line in _lines_of(target)]
    lines: list[str] = []
    for target in targets:
        if target.blocks:
            lines += [line for block in target.blocks for line in _block_lines(block)]
        else:
            about = f"; {target.about}" if target.about else ""
            lines += [f"{target.name}: {counted(target)}{about}", *_problem_lines(target.problems)]
    if len(targets) > 1:
        whole = Counter(each.severity for each in _standing(targets))
        counts = ", ".join(plural(whole[severity], severity) for severity in SEVERITIES)
        lines.append(f"{len(targets)} checked: {counts}")
    return lines


def _lines_of(target: CheckedTarget) -> Iterator[str]:
    errors = [each for each in target.problems if each.severity == "error" and each.rule != "drill"]
    yield from (str(each.problem) for each in errors)
    if not errors:
        yield f"{target.name}: good"
    yield from (each.problem.message for each in target.problems if each.severity != "error")
    if target.kind == "drill":
        name = PurePath(target.name).stem
        yield from (f"ok   {name}: {what}" for what in target.kept)
        for named in target.problems:
            if named.rule == "drill":
                yield f"FAIL {name}: {named.problem.message}{f' ({named.problem.hint})' if named.problem.hint else ''}"


def _block_lines(block: CheckBlock) -> Iterator[str]:
    """A block: heads in the line of its title, cells in columns; a row of one cell is a sentence on the one above."""
    rows = [(block.title, *block.columns), *block.rows] if block.columns else list(block.rows)
    whole = [row for row in rows if len(row) > 1]
    widths = [max((len(row[place]) for row in whole), default=0) for place in range(max(map(len, rows), default=0))]
    if not block.columns and block.title:
        yield block.title
    for place, row in enumerate(rows):
        if len(row) == 1:
            yield from indented(row[0], WIDTH, 4)
            continue
        indent = "" if block.columns and not place else "  "
        first = widths[0] + 2 * (not indent)
        cells = [f"{row[0]:{first}}", *(f"{cell:{width}}" for cell, width in zip(row[1:-1], widths[1:], strict=False))]
        head = f"{indent}{'  '.join(cells)}  "
        last = indented(row[-1], WIDTH - len(head), 0) if len(head) < WIDTH // 2 else (row[-1],)
        yield f"{head}{last[0] if last else ''}".rstrip()
        yield from (f"{' ' * len(head)}{line}" for line in last[1:])
    yield from _problem_lines(block.problems)
    for note in block.notes:
        yield from indented(note, WIDTH, 2, 4)


def counted(target: CheckedTarget) -> str:
    found = [plural(target.count(severity), severity) for severity in SEVERITIES if target.count(severity)]
    ignored = sum(bool(each.ignored) for each in target.problems)
    return ", ".join([*found, *([f"{ignored} ignored"] if ignored else [])]) or "good"


def _problem_lines(problems: Sequence[NamedProblem]) -> Iterator[str]:
    standing = sorted((each for each in problems if not each.ignored), key=lambda one: SEVERITIES.index(one.severity))
    place = max((len(_short_place(each)) for each in standing), default=0)
    rule = max((len(each.rule) for each in standing), default=0)
    for named in standing:
        key = named.problem.key.removeprefix(PREFIX)
        yield f"  {named.severity:7}  {_short_place(named):{place}}  {named.rule:{rule}}  {key}".rstrip()
        hint = f" ({named.problem.hint})" if named.problem.hint else ""
        source = f" [{named.source}]" if named.source else ""
        yield from indented(f"{named.problem.message}{hint}{source}", WIDTH, 11)


def _short_place(named: NamedProblem) -> str:
    name = PurePath(named.problem.file).name or named.problem.file
    return f"{name}:{named.problem.line}" if named.problem.line else name


# ---------------------------------------------------------------- forms of other programs


def as_object(targets: Sequence[CheckedTarget]) -> dict[str, Any]:
    whole = Counter(each.severity for each in _standing(targets))
    return {
        **{f"{severity}s": whole[severity] for severity in SEVERITIES},
        "items": [row_of(each) for each in targets],
        "assumed": [each for target in targets for each in target.details.get("assumed", ())],
    }


def row_of(target: CheckedTarget) -> dict[str, Any]:
    problems = [
        {
            "rule": each.rule,
            "severity": each.severity,
            **msgspec.to_builtins(each.problem),
            "class": each.source,
            "ignored": each.ignored,
        }
        for each in target.problems
    ]
    shown = {"name": target.name, "kind": target.kind, "about": target.about, "problems": problems}
    return {**shown, "kept": list(target.kept), **target.details}


def _github_form(targets: Sequence[CheckedTarget]) -> str:
    words = {"error": "error", "warning": "warning", "note": "notice"}
    lines = []
    for named in _standing(targets):
        where = [f"file={_property(_path_of(named.problem.file))}"] if named.problem.file else []
        where += [f"line={named.problem.line}"] if named.problem.line else []
        fields = ",".join([*where, f"title={_property(named.rule)}"])
        lines.append(f"::{words[named.severity]} {fields}::{_data(sentence_of(named))}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _sarif_form(targets: Sequence[CheckedTarget]) -> str:
    problems = [each for target in targets for each in target.problems]
    rules = sorted({each.rule for each in problems})
    levels = {each.rule: each.severity for each in problems}
    run = {
        "tool": {
            "driver": {
                "name": "schedlab",
                "version": program_version(),
                "informationUri": HOME,
                "rules": [_sarif_rule(name, levels[name]) for name in rules],
            }
        },
        "results": [
            _sarif_result(each, mark, rules.index(each.rule))
            for each, mark in zip(problems, _fingerprints(problems), strict=True)
        ],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _sarif_rule(name: str, severity: Severity) -> dict[str, Any]:
    words = name.replace("-", " ")
    source = KNOWN[name].source if name in KNOWN else ""
    return {
        "id": name,
        "shortDescription": {"text": words[:1].upper() + words[1:]},
        "help": {"text": f"Done by {source}." if source else f"The rule {name} of schedlab check."},
        "defaultConfiguration": {"level": severity},
    }


def _sarif_result(named: NamedProblem, mark: str, index: int) -> dict[str, Any]:
    source = f" [{named.source}]" if named.source else ""
    found: dict[str, Any] = {
        "ruleId": named.rule,
        "ruleIndex": index,
        "level": named.severity,
        "message": {"text": f"{sentence_of(named)}{source}"},
        "partialFingerprints": {"schedlab/v1": mark},
    }
    if named.problem.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": quote(_path_of(named.problem.file))}}
        place["region"] = {"startLine": max(1, named.problem.line)}
        found["locations"] = [{"physicalLocation": place}]
    if named.ignored:
        found["suppressions"] = [{"kind": "inSource", "justification": named.ignored}]
    return found


def _gitlab_form(targets: Sequence[CheckedTarget]) -> str:
    grades = {"error": "critical", "warning": "minor", "note": "info"}
    standing = _standing(targets)
    found = [
        {
            "description": sentence_of(each),
            "check_name": each.rule,
            "fingerprint": mark,
            "severity": grades[each.severity],
            "location": {"path": _path_of(each.problem.file) or ".", "lines": {"begin": max(1, each.problem.line)}},
        }
        for each, mark in zip(standing, _fingerprints(standing), strict=True)
    ]
    return json.dumps(found, indent=1) + "\n"


def _junit_form(targets: Sequence[CheckedTarget]) -> str:
    return junit((target.name, list(_junit_cases(target))) for target in targets)


def _junit_cases(target: CheckedTarget) -> Iterator[JunitCase]:
    rules = dict.fromkeys(each.rule for each in target.problems if not each.ignored)
    for promise in target.kept or (() if rules else (target.kind,)):
        yield JunitCase(target.name, promise)
    for rule in rules:
        mine = [each for each in target.problems if each.rule == rule and not each.ignored]
        is_failure = any(each.severity == "error" for each in mine)
        told = "\n".join(f"{each.place}: {sentence_of(each)}" for each in mine)
        message = sentence_of(mine[0]) if is_failure else ""
        name = mine[0].problem.file or target.name
        yield JunitCase(name, rule, "failure" if is_failure else "system-out", message, told)


def _fingerprints(problems: Sequence[NamedProblem]) -> list[str]:
    """What tells each problem from others in later runs: of rule, path and key, not of line or value."""
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for named in problems:
        place = (named.rule, _path_of(named.problem.file), named.problem.key)
        again = f"|{seen[place]}" if seen[place] else ""
        seen[place] += 1
        found.append(hashlib.sha256(("|".join(place) + again).encode()).hexdigest()[:32])
    return found


def _standing(targets: Sequence[CheckedTarget]) -> list[NamedProblem]:
    return [each for target in targets for each in target.problems if not each.ignored]


def _path_of(file: str) -> str:
    """A path as seen from the folder of the call, with `/`; of what is elsewhere, or no file, as it is named."""
    path = Path(file)
    try:
        return (path.relative_to(Path.cwd()) if path.is_absolute() else path).as_posix() if file else ""
    except ValueError:
        return path.as_posix()


def _parts(blocks: Sequence[CheckBlock]) -> list[ReportPart]:
    return [
        ReportPart(
            each.title,
            columns=("", *each.columns) if each.columns else (),
            rows=each.rows,
            sentences=(
                *(f"{one.severity} {one.place} {one.rule}: {sentence_of(one)}" for one in each.problems),
                *each.notes,
            ),
        )
        for each in blocks
    ]


def _markdown_form(targets: Sequence[CheckedTarget]) -> str:
    return markdown_of(_parts([block for target in targets for block in target.blocks]))


def _html_form(targets: Sequence[CheckedTarget]) -> str:
    sections = sections_of(_parts([block for target in targets for block in target.blocks[:-1]]))
    ends = [target.blocks[-1].title for target in targets if target.blocks]
    crumbs = ("schedlab", "check", *(target.name for target in targets[:1]))
    foot = (f"schedlab {program_version()} · check", "Files and a simulation; no cluster was asked to change.")
    return ReportPage(crumbs, "", "; ".join(ends), "", Html(""), sections, foot).html()


CHANGE_FORMS: Final = ("md", "html")  # Forms of a change alone
FORMS: Final[Mapping[str, Callable[[Sequence[CheckedTarget]], str]]] = {
    "sarif": _sarif_form,
    "github": _github_form,
    "gitlab": _gitlab_form,
    "junit": _junit_form,
    "md": _markdown_form,
    "html": _html_form,
}  # Form of other programs → what writes it
