"""`schedlab fix`."""

import asyncio
import json

import pytest

from engine.explain.counterfactuals import Lookahead
from engine.formats.scenario_toml import load, packaged
from engine.live.alarms import DEFAULT_RULES, parse_rules
from engine.scenario.scenario import system_of
from engine.serve.wire import RELEASES, release_of
from engine.simulation.simulation import Simulation
from tests.invoke import said
from tests.tui.commands.test_serve import Watched
from tui.cli.live import ClusterFiles, live_twin
from tui.panes.header import health_of
from tui.session.advice import advice_of
from tui.session.live_pictures import LivePictures


def run(*arguments: str) -> tuple[int, str, str]:
    unbounded = [] if "--budget" in arguments else ["--budget", "0"]
    result = said("fix", [*arguments, "--workers", "1", *unbounded])
    return result.exit_code, result.stdout, result.stderr


def test_it_tells_what_helps_and_what_can_be_done_now_first(stuck: str) -> None:
    code, out, _ = run(stuck, "--at", "+60s", "first")

    assert code == 0
    assert "0001 at 00:01:00: never gets another container without an act" in out
    kill, node = (out.index(each) for each in ("kill application 2 (second)", "add a node of 6144 MB and 1 vcore"))
    assert out.index("can be done now") < kill < out.index("need hardware") < node
    assert "frees 6G/1c; loses 1 container, " in out
    assert "no help: switch preemption on" in out


def test_the_same_as_json(stuck: str) -> None:
    code, out, _ = run(stuck, "--at", "+60s", "first", "-o", "json")
    answer = json.loads(out)
    kill = next(each for each in answer["remedies"] if each["kind"] == "kill")

    assert (code, answer["schema"], answer["never"], answer["tried"]) == (0, "fix/1", True, answer["of"])
    assert kill["step"] == {"do": "kill", "application": kill["application"], "at": 60.001}
    assert kill["starts"][0]["application"].endswith("0001")


def test_without_an_application_all_that_are_stuck_are_meant(stuck: str) -> None:
    _, out, _ = run(stuck, "--at", "+60s")

    assert "2 waiting, 0001 longest at 00:01:00" in out
    assert "starts 2 of 2 by" in out


def test_a_remedy_is_applied_and_what_was_promised_is_kept(stuck: str) -> None:
    entries = json.loads(run(stuck, "--at", "+60s", "first", "-o", "json")[1])["remedies"]
    node = next(each for each in entries if each["kind"] == "add-node")
    options = ("--at", "+60s", "first", "--apply", str(node["number"]))
    (start,) = json.loads(run(stuck, *options, "-o", "json")[1])["applied"]["starts"]
    text = run(stuck, *options)[1]

    assert start["at"] == start["promised"] == node["first"]
    assert "applied   add a node of 6144 MB and 1 vcore" in text
    assert 'script = [{ do = "add-node", host = "added1", memory = 6144, vcores = 1, at = 60.001 }]' in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("third",), "no application, or more than one, matches third"),
        (("first", "--apply", "99"), "no act of an operator has number 99"),
    ],
)
def test_what_cannot_be_is_one_sentence(stuck: str, options: tuple[str, ...], words: str) -> None:
    code, _, told = run(stuck, "--at", "+60s", *options)

    assert (code, words in told) == (2, True)


# FROZEN on a live screen is true: of a simulation that is served and watched, nothing starts before something ends.


TURNS = 60
"""Turns of the event loop in which the twin surely is asked: nothing in it waits for anything else."""
POLLS_MS = (4_000, 2_000, 0)
"""Polls before an instant."""
FROZEN = "FROZEN if"
PARTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Of a scenario's duration, after which is looked."""


def starts_before_an_end(simulation: Simulation) -> bool:
    """Tell whether a container starts while all that run stay."""
    ahead = Lookahead(simulation)
    while ahead.last_ms is None and not ahead.ended and not ahead.advance():
        pass
    first_ms = min(ahead.ended.values(), default=ahead.end_ms)
    return any(served.time_ms < first_ms for served in ahead.served.values())


async def badges(name: str, parts: tuple[float, ...]) -> list[tuple[str, bool]]:
    """The badge at each instant, and whether something starts there before anything ends."""
    release = release_of(load(name).scheduler)
    watched = Watched(name, next(era for era, each in RELEASES.items() if each is release))
    run, source = watched.run, watched.source
    pictures = LivePictures(
        source,
        parse_rules(DEFAULT_RULES),
        wall=lambda: run.simulation.now_ms / 1000,
        advice=advice_of(lambda: live_twin(source, pictures.whole, ClusterFiles(None, None, None))),
    )
    found = []
    for part in parts:
        for before_ms in POLLS_MS:
            run.advance(max(int(run.until_ms * part) - before_ms, run.now_ms))
            if run.simulation.control_plane.answers:
                await pictures.round()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        if run.simulation.control_plane.answers:
            word = health_of(await pictures.picture()).word
            found.append((word, word == FROZEN and starts_before_an_end(run.simulation)))
    await pictures.close()
    return found


async def test_a_standstill_is_frozen_within_three_polls() -> None:
    """And not while the twin, by what it concludes of what ran before, sees a start."""
    assert await badges("reservation-deadlock", (0.2, 0.4)) == [("ALARM", False), (FROZEN, False)]


@pytest.mark.parametrize("name", ["reservation-deadlock-recorded", "reservation-deadlock-3.4-all-nodes"])
async def test_nothing_starts_before_an_end_where_a_live_cluster_is_frozen(name: str) -> None:
    found = await badges(name, PARTS)

    assert (FROZEN, False) in found
    assert (FROZEN, True) not in found


@pytest.mark.long
@pytest.mark.parametrize("name", packaged())
async def test_no_live_cluster_is_frozen_where_something_starts_before_an_end(name: str) -> None:
    if system_of(load(name).scheduler) != "yarn":
        pytest.skip("no ResourceManager")
    assert (FROZEN, True) not in await badges(name, PARTS)
