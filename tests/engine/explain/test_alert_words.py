"""Alerts and badges in words."""

import pytest

from engine.control_plane.cluster_view import ApplicationSummary
from engine.explain.alert import HOW, Alert, alert_of, episodes_of, frozen_words, named
from engine.explain.badge_rules import BADGES, ONCE, STANDING, rule_of, word_of
from engine.explain.verdict import NEVER, Proof, Verdict, badness
from engine.explain.waits import Wait
from engine.model.mr1.attempt import CHORE, MAP, REDUCE
from engine.schedulers.activity import Reason

NEVER_GIVEN = "is never given what it asks for"
CYCLE = (Wait(3, 5, Reason.DOES_NOT_FIT, "n1"), Wait(5, 3, Reason.DOES_NOT_FIT, "n2"))


def verdict(
    name: str, start_ms: int | None = None, *, cycle: tuple[Wait, ...] = (), ends: tuple[int, ...] = ()
) -> Verdict:
    """A verdict with this proof."""
    return Verdict(name, start_ms, Proof(0, 10, 0, None, still=True, cycle=cycle, ends=ends))


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [(82, "application", "application 82"), (0, "job", "job 0"), (-1, "job", "driver 0000"), (-12, "x", "driver 0011")],
)
def test_who_is_named_by_number(number: int, noun: str, words: str) -> None:
    """A driver counts from none."""
    assert named(number, noun) == words


@pytest.mark.parametrize(
    ("alert", "words", "said"),
    [
        (Alert("lost", 1, 1, "n1: it is lost", topic="n1"), "n1: it is lost", "it is lost"),
        (Alert("lost", 1, 1, "it is lost"), "it is lost", "it is lost"),
        (
            Alert("frozen", 1, 1, "s", "deadlocked", applications=(3, 5, 7)),
            "deadlocked: 0003 and 0005 wait for each other",
            "s",
        ),
        (
            Alert("frozen", 1, 1, "s", "deadlocked", "am only", applications=(3,)),
            f"am only: 0003 {NEVER_GIVEN}",
            "s",
        ),
        (
            Alert("frozen", 1, 1, "s", "blocked", applications=(3, 5)),
            "blocked: 0003 is never given what it asks for",
            "s",
        ),
        (Alert("frozen", 1, 1, "s", "blocked"), "blocked: nothing moves", "s"),
        (
            Alert("frozen", 1, 1, "s", "deadlocked", applications=(-1, 0)),
            "deadlocked: driver 0000 and 0000 wait for each other",
            "s",
        ),
        (Alert("livelock", 1, 1, "s", pattern="taken back", applications=(3, 5)), "taken back: applications 3, 5", "s"),
        (Alert("livelock", 1, 1, "s", pattern="taken back", applications=(3,)), "taken back: application 3", "s"),
        (Alert("stuck", 1, 1, "s", "impossible", applications=(3,), noun="job"), "impossible: job 3", "s"),
        (Alert("held-up", 1, 1, "s", "later", "small", applications=(-2, 4)), "small: driver 0001", "s"),
    ],
)
def test_an_alert_is_said_in_few_words(alert: Alert, words: str, said: str) -> None:
    """By its pattern, else by its verdict; without both its sentence."""
    assert (alert.words, alert.said) == (words, said)


@pytest.mark.parametrize(
    ("found", "pattern", "numbers", "words"),
    [
        ("deadlocked", "", [3], "1 application; " + HOW["deadlocked"]),
        ("deadlocked", "ring", [3, 5], "any of 2 applications; " + HOW["deadlocked"]),
        ("starving", "", [-1, -2], "any of 2 drivers; " + HOW["starving"]),
        ("starving", "", [-1, 0], "any of 2 applications; " + HOW["starving"]),
        ("impossible", "", [3], "1 application"),
        ("impossible", "", [3, 5], "application 3, nor to 1 other that waits"),
        ("blocked", "", [3], "1 application; " + HOW["blocked"]),
        (
            "blocked",
            "",
            [3, 5, 6],
            "application 3, nor to 2 others that wait; holders never release what application 3 needs",
        ),
        ("waiting", "", [3], "1 application"),
    ],
)
def test_a_freeze_says_to_whom_nothing_is_given(found: str, pattern: str, numbers: list[int], words: str) -> None:
    """And why, where that is true of all of them."""
    topic = f"{pattern or found}: nothing will be allocated any more to"
    assert frozen_words(verdict(found), pattern, numbers, "application") == f"{topic} {words}"


def summary(number: int = 3) -> ApplicationSummary:
    """An application that waits."""
    return ApplicationSummary(number, "big", "ann", "root.a", 0, 0, waits=True, works=False)


@pytest.mark.parametrize(
    ("kind", "found", "number", "priority", "noun", "sentence"),
    [
        ("held-up", verdict("waiting", 50), 3, None, "application", "waits for its turn, others came first"),
        ("held-up", verdict("later"), 3, None, "application", "is given nothing within 24 hours; " + HOW["later"]),
        (
            "stuck",
            verdict("blocked"),
            3,
            7,
            "application",
            "will be given nothing any more of what it asks for at priority 7; " + HOW["blocked"],
        ),
        (
            "stuck",
            verdict("starving", cycle=CYCLE),
            3,
            None,
            "application",
            "will be given nothing any more; " + HOW["deadlocked"],
        ),
        ("stuck", verdict("starving"), 3, None, "application", "is given nothing within 24 hours; " + HOW["starving"]),
        ("stuck", verdict("impossible"), -1, None, "driver", "will be given nothing any more; " + HOW["impossible"]),
        ("stuck", verdict("blocked"), 3, MAP, "job", "will be given nothing any more of its maps; " + HOW["blocked"]),
        (
            "stuck",
            verdict("blocked"),
            3,
            REDUCE,
            "job",
            "will be given nothing any more of its reduces; " + HOW["blocked"],
        ),
        (
            "stuck",
            verdict("blocked"),
            3,
            CHORE,
            "job",
            "will be given nothing any more of its setup and cleanup; " + HOW["blocked"],
        ),
    ],
)
def test_an_alert_says_what_becomes_of_an_application(
    kind: str, found: Verdict, number: int, priority: int | None, noun: str, sentence: str
) -> None:
    """With the verdict and its topic."""
    alert = alert_of(summary(number), found, "p", Alert(kind, 1, 2, "", priority=priority, noun=noun))

    who = f"{noun} 3 big in root.a" if number >= 0 else "driver 0000 big"
    assert alert.sentence == f"p: {who} {sentence}"
    assert (alert.verdict, alert.pattern, alert.topic, alert.kind) == (found.verdict, "p", "p", kind)
    assert (alert.since_ms, alert.found_ms, alert.applications[0]) == (1, 2, number)


def test_an_alert_is_about_all_that_the_proof_names() -> None:
    """Each once, the application itself first; without a pattern the verdict is the topic."""
    alert = alert_of(summary(5), verdict("deadlocked", cycle=CYCLE, ends=(9, 3)), "", Alert("stuck", 1, 2, ""))

    assert (alert.applications, alert.topic) == ((5, 3, 9), "deadlocked")


def test_an_end_ends_the_last_alert_that_it_may() -> None:
    """Not one that is over already, and of a freeze only that since the same instant."""
    twice = [Alert("lost", time_ms, time_ms, "", node="n1") for time_ms in (1, 2)]
    back = Alert("returned", 9, 9, "", node="n1")

    assert [each.until_ms for each in episodes_of([*twice, back])] == [None, 9]
    assert [each.until_ms for each in episodes_of([*twice, back, back])] == [9, 9]
    outage = Alert("outage", 1, 1, "", applications=())
    assert [each.until_ms for each in episodes_of([outage, Alert("over", 1, 7, "")])] == [7]
    frozen = Alert("frozen", 1, 1, "", applications=(3,))
    assert [each.until_ms for each in episodes_of([frozen, Alert("over", 1, 7, "", applications=(3,))])] == [7]


@pytest.mark.parametrize(
    ("kind", "pattern", "word"),
    [
        ("frozen", "am only", "FROZEN"),
        ("stuck", "am only", "AM ONLY"),
        ("stuck", "", "STUCK"),
        ("held-up", "", "STARVED"),
        ("refused", "x", "REFUSED"),
        ("too-large", "", "TOO LARGE"),
        ("lost", "", "{node} LOST"),
    ],
)
def test_a_badge_has_the_name_of_a_pattern_or_the_word_of_its_kind(kind: str, pattern: str, word: str) -> None:
    """A freeze is always called so, and what happened once."""
    assert word_of(kind, pattern) == word


def test_every_kind_has_one_rule() -> None:
    """Those that stand are badges."""
    assert not BADGES.keys() & ONCE.keys()
    assert BADGES.keys() >= STANDING
    assert [rule_of(kind) for kind in ("frozen", "refused")] == [BADGES["frozen"], ONCE["refused"]]


@pytest.mark.parametrize("name", ["waiting", "later", "starving", "none", *sorted(NEVER)])
@pytest.mark.parametrize("cycle", [(), CYCLE])
@pytest.mark.parametrize("start_ms", [None, 0, 5])
def test_a_verdict_is_never_where_it_is_proved_or_comes_round(
    name: str, cycle: tuple[Wait, ...], start_ms: int | None
) -> None:
    """And nothing starts it."""
    assert verdict(name, start_ms, cycle=cycle).is_never == (start_ms is None and (name in NEVER or cycle == CYCLE))


def test_verdicts_are_sorted_by_how_bad_they_are() -> None:
    """What starts, the latest last, then what never does, the gravest last; asking for nothing is the best."""
    order = [
        verdict("none"),
        verdict("waiting", 3),
        verdict("starving", 5),
        verdict("waiting", 9),
        verdict("starving"),
        verdict("later"),
        verdict("deadlocked"),
        verdict("blocked"),
        verdict("impossible"),
        verdict("outage"),
    ]

    mixed = order[::-1]
    assert sorted(mixed, key=badness) == order
