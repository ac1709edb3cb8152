"""What a change of a configuration does, as `schedlab check --against` tells it."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple

import msgspec

from engine.compare.configurations import ChangedKey, ConfigurationChange, Harm, refusals
from engine.compare.harms import OF_ONE, EffectRow, JudgedPromise, WorkloadEffect
from engine.errors import Problem
from engine.formats.named_problems import NamedProblem
from engine.settings.capacity_queue import ADMINISTER_ACL, QUEUES, STATE, SUBMIT_ACL
from engine.settings.capacity_queue import CAPACITY as QUEUE_CAPACITY
from engine.settings.capacity_queue import MAXIMUM_CAPACITY as QUEUE_MAXIMUM
from engine.settings.capacity_scheduler import PREFIX, USER_LIMIT_FACTOR
from engine.units import moment_at, plural
from tui.pages.compare import wait_text
from tui.report.check_forms import CheckBlock, CheckedTarget

SAME: Final = "means what held before"
MOST_KEYS: Final = 25  # Most keys that are listed
_OF_TABLE: Final = tuple(
    f".{key}" for key in (QUEUES, QUEUE_CAPACITY, QUEUE_MAXIMUM, USER_LIMIT_FACTOR, STATE, SUBMIT_ACL, ADMINISTER_ACL)
)  # Ends of keys of queues that the tables of queues and of submitters show
_WHEN: Final = {
    "live": "live: Hadoop reads the file again within 10 s",
    "refresh": "by refreshQueues",
    "owner": "with the next submission",
    "restart": "takes a restart",
    "patch": "takes a patch",
    "hardware": "takes other machines",
}


class JudgedChange(NamedTuple):
    change: ConfigurationChange
    effects: Sequence[WorkloadEffect]
    verdicts: Sequence[JudgedPromise]
    harms: Sequence[Harm]
    unplayed: Sequence[str]  # What was not played and why, or is not known, in sentences
    is_strict: bool


def change_target(found: JudgedChange, file: str) -> CheckedTarget:
    """A change as something that was checked; a harm stands at the first of the new files."""
    change, effects, verdicts = found.change, found.effects, found.verdicts
    counted = [each for each in found.harms if not each.meant]
    problems = tuple(each for each in change.appeared if each.severity != "error")
    problems += _of_both_refused(change)
    problems += tuple(_problem_of(each, file, change) for each in counted)
    blocks = (
        _head_block(change),
        *_queue_blocks(change),
        *(CheckBlock("", notes=(each,)) for each in found.unplayed),
        *(_effect_block(each) for each in effects),
        *_promise_blocks(verdicts),
        *_harm_blocks(counted, found.harms),
        _end_block(counted, found),
    )
    kept = tuple(" ".join((each.promise.words, each.workload)).strip() for each in verdicts if each.is_kept)
    name = f"{change.new.name} against {change.old.name}"
    return CheckedTarget(name, "change", "", problems, kept, blocks, _details(found))


def _details(found: JudgedChange) -> dict[str, Any]:
    change = found.change
    return {
        "old": change.old.name,
        "new": change.new.name,
        "release": change.new.release,
        "scheduler": change.new.scheduler,
        "keys": msgspec.to_builtins(change.keys),
        "queues": {
            name: msgspec.to_builtins({path: _plain(queue) for path, queue in meaning.queues.items()})
            for name, meaning in (("old", change.old), ("new", change.new))
        },
        "gone": [{"rule": each.rule, **msgspec.to_builtins(each.problem)} for each in change.gone],
        "effects": [{"workload": each.name, "rows": msgspec.to_builtins(each.rows)} for each in found.effects],
        "promises": [
            {"words": each.promise.words, "kept": each.is_kept, "found": each.found, "workload": each.workload}
            for each in found.verdicts
        ],
        "harms": msgspec.to_builtins(tuple(found.harms)),
        "assumed": list(found.unplayed),
    }


def _plain(queue: Any) -> Any:
    found = msgspec.to_builtins(queue)
    found["rights"] = {key: sorted(value) for key, value in found["rights"].items()}
    return found


def _problem_of(harm: Harm, file: str, change: ConfigurationChange) -> NamedProblem:
    if harm.kind == "lint":
        mine = next((each for each in change.appeared if each.place in harm.sentence), None)
        if mine is not None:
            return mine
    return NamedProblem(f"harm-{harm.kind}", "error", Problem(harm.sentence, file, key=harm.queue or harm.user), "")


def _head_block(change: ConfigurationChange) -> CheckBlock:
    old, new = change.old, change.new
    changed = [each for each in change.keys if not each.is_same]
    told = {each.problem.key for each in change.appeared}
    in_tables = {each.key for each in changed if each.key.startswith(PREFIX) and each.key.endswith(_OF_TABLE)}
    listed = [each for each in change.keys if each.key not in told | in_tables]
    whens = {each.when for each in changed}
    one = f"; all {_WHEN[next(iter(whens))]}" if len(whens) == 1 and len(changed) > 1 else ""
    scheduler = f" ({new.scheduler})" if new.scheduler else ""
    count = len(new.queues) if new.scheduler == "CapacityScheduler" else _named(new.queues)
    title = f"{new.name} against {old.name}: "
    if change.refused:
        title += f"Hadoop {new.release} refuses {' and '.join(change.refused)}, so nothing is compared"
    else:
        as_before = len(change.keys) - len(changed)
        other = f", {as_before} written otherwise that mean the same" if as_before else ""
        title += f"{plural(len(changed), 'key')} changed{other}, read by Hadoop {new.release}"
        title += f"{scheduler}, {plural(count, 'queue')}{one}"
    rows = [_key_row(each, is_said=bool(one)) for each in listed[:MOST_KEYS]]
    notes = [f"and {len(listed) - MOST_KEYS} more keys"] if len(listed) > MOST_KEYS else []
    notes += [f"and {plural(change.other_keys, 'key')} of other programs"] if change.other_keys else []
    if old.scheduler != new.scheduler:
        notes.append(f"the scheduler is {new.scheduler or 'not named'}, was {old.scheduler or 'not named'}")
    appeared = tuple(each for each in change.appeared if each.severity != "note") + _of_both_refused(change)
    return CheckBlock(title, (), tuple(rows), tuple(notes), appeared)


def _of_both_refused(change: ConfigurationChange) -> tuple[NamedProblem, ...]:
    errors = tuple(each for each in change.new.problems if each.severity == "error")
    return errors if len(change.refused) > 1 else ()


def _named(queues: Any) -> int:
    return sum(path not in ("root", "root.default") for path in queues)


def _key_row(key: ChangedKey, *, is_said: bool) -> tuple[str, ...]:
    place = f"{PurePath(key.file).name}:{key.line}" if key.file else "gone" if not key.new else ""
    default = f" (default {key.default})" if key.default and not (key.old and key.new) else ""
    values = f"{key.old or 'not stated'} -> {key.new or 'not stated'}{default}"
    when = SAME if key.is_same else "" if is_said else _WHEN[key.when]
    return (place, key.key.removeprefix(PREFIX), values, when)


def _queue_blocks(change: ConfigurationChange) -> Iterator[CheckBlock]:
    is_fair = change.new.scheduler != "CapacityScheduler"
    rows = list(_queue_rows(change))
    facts: list[tuple[str, ...]] = []
    if rows:
        heads = ("share by weight", "", "", "") if is_fair else ("guaranteed", "at most", "one user at most", "")
        yield CheckBlock("queue", heads, tuple(rows))
    elif change.new.queues:
        of_queues = (each for each in change.keys if each.key.startswith(PREFIX) or not each.key.startswith("yarn."))
        facts.append(("queues", "as before" if all(each.is_same for each in of_queues) else "shares as before"))
    if change.new.queues and change.old.queues:
        facts += _right_rows(change)
        asks = [each.sentence for each in refusals(change) if each.kind == "asks"]
        facts += _under("refused now", asks)
    lint = [f"gone: {each.rule} ({each.problem.key}: {each.problem.message})" for each in change.gone]
    facts += _under("lint", lint)
    if facts:
        yield CheckBlock("", (), tuple(facts))


def _under(title: str, sentences: Sequence[str]) -> list[tuple[str, ...]]:
    return [("" if place else title, sentence) for place, sentence in enumerate(sentences)]


def _queue_rows(change: ConfigurationChange) -> Iterator[tuple[str, ...]]:
    is_fair = change.new.scheduler != "CapacityScheduler"
    for path in dict.fromkeys((*change.old.queues, *change.new.queues)):
        was, now = change.old.queues.get(path), change.new.queues.get(path)
        one = now or was
        assert one is not None, "a path is of either"
        for label in dict.fromkeys((*(was.parts if was else ()), *(now.parts if now else ()))):
            before, after = ((queue.parts.get(label) if queue else None) for queue in (was, now))
            note = _queue_note(change, path) if not label else ""
            users = [None if queue is None or label else queue.one_user for queue in (was, now)]
            if before == after and users[0] == users[1] and not note:
                continue
            name = f"{path} in {label}" if label else path
            parts = [[None if share is None else share[place] for share in (before, after)] for place in (0, 1)]
            cells = (_moved(parts[0]), "" if is_fair else _moved(parts[1]), "" if is_fair else _moved(users))
            yield (name, *cells, note)


def _moved(values: Sequence[float | None]) -> str:
    was, now = ("" if each is None else f"{100 * each:.4g}" for each in values)
    if not was and not now:
        return ""
    if was == now:
        return f"{was} %"
    return f"{was} -> {now} %" if was and now else f"{was} % -> none" if was else f"none -> {now} %"


def _queue_note(change: ConfigurationChange, path: str) -> str:
    was, now = change.old.queues.get(path), change.new.queues.get(path)
    if was is None or now is None:
        return "new" if was is None else "gone"
    notes, is_of_one = [], change.old.scheduler == change.new.scheduler
    if was.minimum != now.minimum and is_of_one:
        notes.append(f"minimum share {was.minimum} -> {now.minimum}")
    if was.user_limit_factor.split()[:1] != now.user_limit_factor.split()[:1] and is_of_one:
        key = f"{PREFIX}{path}."
        unread = [each.problem for each in change.appeared if each.rule == "unknown-key"]
        near = next((each.line for each in unread if each.key.startswith(key)), 0)
        see = f"; see line {near}" if near and "default" in now.user_limit_factor else ""
        after = now.user_limit_factor.replace(")", f"{see})")
        notes.append(f"user-limit-factor {was.user_limit_factor} -> {after}")
    if was.is_stopped != now.is_stopped:
        notes.append("STOPPED" if now.is_stopped else "takes applications again")
    return ", ".join(notes)


def _right_rows(change: ConfigurationChange) -> list[tuple[str, ...]]:
    if not change.leaves:
        return []
    found = []
    for path in change.leaves:
        was, now = change.old.queues[path].rights, change.new.queues[path].rights
        if (bool(was.everybody), was.users, was.groups) != (bool(now.everybody), now.users, now.groups):
            found.append(f"{path}: {was.words()} -> {now.words()}")
    is_gone = change.new.scheduler == "CapacityScheduler" and not change.old.queues.keys() <= change.new.queues.keys()
    where = " in the queues that are still there" if is_gone else ""
    return _under("may submit", found or [f"as before{where}{_list_without_effect(change)}"])


def _list_without_effect(change: ConfigurationChange) -> str:
    ends = (f".{SUBMIT_ACL}", f".{ADMINISTER_ACL}")
    key = next((each for each in change.keys if each.key.startswith(PREFIX) and each.key.endswith(ends)), None)
    opener = next((queue.rights.everybody[0] for queue in change.new.queues.values() if queue.rights.everybody), "")
    if key is None or not opener:
        return ""
    name = key.key.removeprefix(PREFIX)
    why = ", and users who administer may submit" if opener.endswith(str(ADMINISTER_ACL)) else ""
    return f": {name} is now {key.new or 'no user'}, but {opener} still lets in all users{why}"


def _effect_block(effect: WorkloadEffect) -> CheckBlock:
    comparison = effect.comparison
    begin, end = (f"{moment_at(at + comparison.offset_ms):%H:%M}" for at in (comparison.start_ms, comparison.until_ms))
    count = comparison.runs[0].measures.applications + comparison.runs[0].measures.refused
    title = f"{effect.name}, {begin} to {end}, {plural(count, 'application')}"
    rows: list[tuple[str, ...]] = []
    shorter = 0
    for row in effect.rows:
        if row.name.startswith(OF_ONE) and row.verdict == "better":
            shorter += 1
            continue
        cells = (_value(row, each, comparison.offset_ms) for each in (row.old, row.new))
        rows += [(row.name, *cells, row.verdict), *((each,) for each in row.details)]
    notes = (f"the waits of {shorter} queues and users are shorter, too",)
    return CheckBlock(title, ("old", "new", ""), tuple(rows), notes if shorter else ())


def _value(row: EffectRow, value: float | None, offset_ms: int) -> str:
    if value is None:
        return "none"
    match row.unit:
        case "ms":
            return wait_text(value)
        case "share":
            return f"{100 * value:.1f} %"
        case "instant":
            return f"{moment_at(round(value) + offset_ms):%H:%M:%S}"
        case _:
            return f"{value:g}"


def _promise_blocks(verdicts: Sequence[JudgedPromise]) -> Iterator[CheckBlock]:
    if verdicts:
        rows = tuple(
            ("kept" if each.is_kept else "BROKEN", each.promise.words, each.found, each.workload) for each in verdicts
        )
        kept = sum(each.is_kept for each in verdicts)
        yield CheckBlock(f"{kept} of {plural(len(verdicts), 'promise')} kept", (), rows)


def _harm_blocks(counted: Sequence[Harm], harms: Sequence[Harm]) -> Iterator[CheckBlock]:
    notes = [f"harm: {each.sentence}" for each in counted if not each.workload and each.kind != "lint"]
    notes += [f"meant: {each.sentence} ({each.meant})" for each in harms if each.meant]
    if notes:
        yield CheckBlock("", notes=tuple(notes))


def _end_block(counted: Sequence[Harm], found: JudgedChange) -> CheckBlock:
    warnings = sum(each.severity == "warning" for each in found.change.appeared)
    is_refused = bool(_of_both_refused(found.change))
    nothing = "nothing is compared" if found.change.refused else "no harm"
    words = [plural(len(counted), "harm") if counted else nothing]
    words += [plural(warnings, "warning")] if warnings else []
    meant = [each for each in found.harms if each.meant]
    words += [f"{len(meant)} meant"] if meant else []
    promise = next((each.promise for each in counted if each.promise), "")
    hint = f"; if meant, write into --expect: {promise}" if promise else ""
    code = f"    exit code {int(bool(counted) or is_refused or (found.is_strict and warnings > 0))}"
    return CheckBlock(f"{', '.join(words)}{hint}{code}")
