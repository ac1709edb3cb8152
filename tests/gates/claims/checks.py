"""What is claimed held against what happens: one function for each kind of claim about a question."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from engine.explain.answer import NEVER_ENDS
from engine.explain.explainers import explainer_of
from engine.explain.obstacles import ObstacleRow
from engine.scenario.acts import KillApplication
from engine.simulation.simulation import Simulation
from tests.gates.claims.cases import Case, Claim, Question, first_start
from tests.gates.claims.figures import dimension, numbers
from tests.gates.claims.holding import holding
from tests.gates.claims.remedies import remedies


def starts(case: Case, question: Question) -> Iterator[Claim]:
    """The first container of every ask that is expected to start comes when it is expected."""
    for found in question.verdicts:
        if found.expected_start_ms is not None:
            real_ms = case.start_of(question, found.priority)
            words = f"{question}: ask {found.priority} expected {found.expected_start_ms}, started {real_ms}"
            yield Claim("starts", real_ms == found.expected_start_ms, words)


def never(case: Case, question: Question) -> Iterator[Claim]:
    """Nothing is given to an ask that is said never to start, or whose application is said to end without."""
    for found in question.verdicts:
        if found.expected_start_ms is None and found.verdict != "later":
            real_ms = case.start_of(question, found.priority)
            yield Claim("never", real_ms is None, f"{question}: ask {found.priority} {found.verdict}, {real_ms}")
            if found.verdict == "none":
                over_ms, said_ms = case.truth.over.get(question.number), found.proof.over_ms
                yield Claim("never", over_ms == said_ms, f"{question}: over {over_ms}, said {said_ms}")
            if found.verdict == "impossible":
                ask, others = (question.number, found.priority), tuple(_others(question))
                start_ms = first_start(question.here, ask, question.here.now_ms + 1_800_000, _killing(others))
                yield Claim("never", start_ms is None, f"{question}: ask {found.priority} alone starts {start_ms}")


def until(case: Case, question: Question) -> Iterator[Claim]:
    """What a holder has is given back when it is said to be, or never."""
    holds = question.holds()
    for holder in question.answer.holders:
        hold = holds.get(holder.application)
        held = hold.containers if hold is not None else ()
        ends = [[each for each in case.truth.ended.get(one, ()) if each > question.answer.at_ms] for one in held]
        times = [each[0] for each in ends if each]
        words = f"{question}: {holder.name} until {holder.until_ms}, really {ends}"
        if holder.until_ms == NEVER_ENDS:
            yield Claim("until", len(times) < max(len(ends), 1), words)
        elif isinstance(holder.until_ms, int):
            yield Claim("until", bool(times) and len(times) == len(ends) and max(times) == holder.until_ms, words)


def holders(case: Case, question: Question) -> Iterator[Claim]:
    """Who is named holds what is in the way; without those of the proof the ask starts sooner, and each counts."""
    yield from holding(question)
    proven = [number for number in question.found.proof.ends if number != question.number]
    if proven:
        yield from _needed("holders", case, question, proven)


def _needed(kind: str, case: Case, question: Question, numbers: list[int]) -> Iterator[Claim]:
    each_alone = [_helps(question, number) for number in numbers]
    if all(each_alone):
        yield from (Claim(kind, True, "") for _ in numbers)
        return
    together = _helps(question, *numbers)
    for number, alone in zip(numbers, each_alone, strict=True):
        others = [each for each in numbers if each != number]
        counts = alone or (together and not any(each_alone) and not _helps(question, *others))
        yield Claim(kind, counts, f"{question}: without {number} (of {numbers}) it starts no sooner")


def _helps(question: Question, *numbers: int) -> bool:
    """Whether the ask starts sooner without some applications."""
    return _is_sooner(question, _killing(numbers))


def _is_sooner(question: Question, change: Callable[[Simulation], None]) -> bool:
    """Whether the ask starts sooner after a change."""
    expected_ms = question.answer.expected_start_ms
    until_ms = question.here.now_ms + 3_600_000 if expected_ms is None else expected_ms - 1
    return first_start(question.here, question.ask, until_ms, change) is not None


def _killing(numbers: Sequence[int]) -> Callable[[Simulation], None]:
    def change(copy: Simulation) -> None:
        for number in numbers:
            copy.act(KillApplication(number))

    return change


def _others(question: Question) -> Iterator[int]:
    applications = question.here.control_plane.view().applications()
    return (each.number for each in applications if each.number != question.number)


def keys(case: Case, question: Question) -> Iterator[Claim]:
    """With the setting named changed the ask starts sooner."""
    for row in question.answer.reasons:
        if row.decided_by is None:
            continue
        values = explainer_of(question.here).loose_values(row)
        is_sooner = any(_is_sooner(question, partial(_loosened, question, row, value)) for value in values)
        yield Claim("keys", is_sooner, f"{question}: {row.decided_by} for {row.sentence}")


def _loosened(question: Question, row: ObstacleRow, value: str, copy: Simulation) -> None:
    explainer_of(copy).loosen(question.ask, row, value)


CHECKS: Final[Mapping[str, Callable[[Case, Question], Iterator[Claim]]]] = {
    "starts": starts,
    "never": never,
    "until": until,
    "numbers": numbers,
    "dimension": dimension,
    "holders": holders,
    "keys": keys,
    "remedies": remedies,
}
"""Kind of claim → what checks those of a question."""
