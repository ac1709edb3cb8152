"""What the screen says after an act, at the instant it says it: groups, counts, the key that kills."""

import json
import re

import pytest

from tests.invoke import said
from tests.tui.screen_text import press, screen_lines, screen_text
from tui.app import SchedlabApp
from tui.session.opening import open_session

FROZEN_AT = "10:43"


async def test_a_kill_while_paused_changes_badge_groups_and_panes_together() -> None:
    """A picture is of one instant: no headline, group or pinned line is left from before the act; undone, all stand."""
    app = SchedlabApp(open_session("reservation-deadlock", at=FROZEN_AT, paused=True), ascii_only=True)
    async with app.run_test(size=(120, 130)) as pilot:
        await pilot.pause(0.5)
        before = screen_text(app)
        await pilot.press("K", "y")
        await pilot.pause(0.5)
        killed = screen_text(app)
        await pilot.press("t")
        await pilot.pause(0.5)
        later = screen_text(app)
        await press(pilot, "X")
        alerts = screen_text(app)
        await pilot.press("escape")
        await press(pilot, "u")
        undone = screen_text(app)

    assert ("FROZEN 1h38m" in before, "the other 11 are reserved" in before) == (True, True)
    for shown in (killed, later):
        assert ("FROZEN" in shown, "the other 11 are reserved" in shown, "LAST ALLOC" in shown) == (False, False, False)
    assert "1 of 12 reserved" in killed
    assert re.search(r"# FROZEN +183354 pyspark weekly model +09:04:50 +10:43:00 +1h38m +78 .* K 183354", alerts)
    assert ("FROZEN 1h38m" in undone, "nothing allocated for" in undone) == (True, True)


async def test_the_counts_of_those_who_wait_are_the_same_everywhere() -> None:
    """Header, title, queues, users and JSON: 78, which are 63 without a container and 15 for more."""
    app = SchedlabApp(open_session("reservation-deadlock", at=FROZEN_AT, paused=True), ascii_only=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause(0.5)
        main = screen_text(app)
    users = _snapshot("--section", "users")
    document = json.loads(_snapshot("--json", "--section", "users"))

    assert "waiting 78 = 63 without a container + 15 for more" in main
    assert "78 waiting = 63 without + 15 more" in main
    assert "77 wait behind it" in main
    assert re.search(r"root .* 63\+15", main)
    of_users = re.findall(r"^\w+ .* (\d+)\+(\d+) ", users, re.MULTILINE)
    assert [sum(map(int, column)) for column in zip(*of_users, strict=True)] == [63, 15]
    assert document["cluster"]["waiting"] == {"all": 78, "first": 63, "more": 15}
    assert "pending" not in (main + users).lower()


async def test_a_headline_is_short_and_nobody_asks_for_more_than_nothing() -> None:
    """Who runs and has lost all it had waits for room; a livelock's headline is whole in 80 columns."""
    app = SchedlabApp(open_session("pattern-preemption-livelock", at="00:02", paused=True), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = screen_text(app)

    assert "LIVELOCK 1m48s  0001 and 0002 take containers from each other" in shown
    assert "1 waits for room, longest 5s" in shown


@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        (
            "node-labels-capacity",
            "09:01:40",
            "^ NO ACCESS 1m35s  0002 of office waits; 8G of gpu are free and closed to it",
        ),
        (
            "node-labels-capacity-3.4",
            "09:01:40",
            "^ NO ACCESS 1m35s  0002 of office waits; 8G of gpu are free and closed",
        ),
        ("node-labels-capacity", "09:00:30", "o BUSY  83% of memory used, 1 waiting, longest 25s"),
        ("node-labels-capacity", "09:00:35", "^ NO ACCESS 30s  0002 of office waits; 8G of gpu are free and closed"),
        ("node-labels-capacity-twin", "09:01:40", "o OK  100% of memory used, nothing waits"),
        (
            "mr1-slots-of-the-wrong-kind",
            "09:06",
            "^ WRONG KIND 1m07s  0002 waits for 96 reduce slots; 48 map slots are idle",
        ),
    ],
)
async def test_who_waits_beside_room_of_another_kind_is_not_only_busy(name: str, at: str, said: str) -> None:
    """From half a minute on: in a partition that its queue may not use, in slots that its tasks cannot use."""
    app = SchedlabApp(open_session(name, at=at, paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert screen_lines(app)[1].strip().startswith(said)


@pytest.mark.parametrize(
    ("name", "at", "said", "unsaid"),
    [
        ("capacity-am-limit", "+2m", (">0.15</value>", "then     yarn rmadmin -refreshQueues"), ()),
        pytest.param(
            "reservation-deadlock",
            "10:43",
            ("10:43:23", "10:44:27", "frees 89G/12c at most, and nothing starts"),
            ("write",),
            marks=pytest.mark.long,
        ),
        ("mr1-slots-of-the-wrong-kind", "09:06", ("add a tracker",), ("memory", "drain a node")),
        (
            "spark-one-executor-each",
            "+90s",
            ("Nothing waits, so nothing is tried.",),
            ("none of them starts", "of 0 tried"),
        ),
    ],
)
async def test_what_to_do_says_what_was_tried_and_no_more(
    name: str, at: str, said: tuple[str, ...], unsaid: tuple[str, ...]
) -> None:
    """Its lines for a file, memory where there is any, and of what starts nothing only what the copy showed."""
    app = SchedlabApp(open_session(name, at=at, paused=True), ascii_only=True)
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.pause()
        await pilot.press("W")
        shown = ""
        for _ in range(600):
            await pilot.pause(0.2)
            shown = screen_text(app)
            if all(words in shown for words in said):
                break

    assert ([words for words in said if words not in shown], [words for words in unsaid if words in shown]) == ([], [])


def _snapshot(*options: str) -> str:
    found = said("", ["snapshot", "reservation-deadlock", "--at", FROZEN_AT, *options])
    return found.stdout


@pytest.mark.long
async def test_on_the_why_page_k_means_its_subject_until_the_cursor_is_moved() -> None:
    """The page of the culprit opens on its remedies; the first of them may kill somebody else."""
    app = SchedlabApp(open_session("reservation-deadlock", at=FROZEN_AT, paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.5)
        await pilot.press("w")
        for _ in range(60):
            await pilot.pause(0.1)
            if "K kill" in screen_lines(app)[-1] and "enter try on a copy" in screen_lines(app)[-1]:
                break
        unmoved = screen_lines(app)[-1]

    assert "K kill 183354" in unmoved
