"""`schedlab yarn` writes as the `yarn` command of Hadoop 2.7.2, and a drill that is served records what it is asked."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from engine.formats.scenario_overrides import parse
from engine.training.drill import DrillScenario, drill_of
from tests.engine.training.small_drill import TEXT, small_drill
from tui.cli import yarn
from tui.cli.drill_serve import DrillServer, served_drill
from tui.session.drill import DrillPlay


class _Loop(httpx.BaseTransport):
    """Hands requests to an application on an event loop of their own."""

    def __init__(self, app: httpx.ASGITransport) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        async def answered() -> httpx.Response:
            response = await self._app.handle_async_request(request)
            return httpx.Response(response.status_code, content=await response.aread())

        return asyncio.run(answered())


class _Desk:
    """A drill that is served, and the command that asks it."""

    def __init__(self, server: DrillServer, play: DrillPlay) -> None:
        self.server, self.play = server, play
        self.transport = _Loop(httpx.ASGITransport(server.app(play)))

    def steps(self) -> list[str]:
        return [
            f"{step.do} {getattr(step, 'pane', getattr(step, 'application', ''))}" for step in self.play.recorder.steps
        ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Desk]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with served_drill(small_drill(), 0, tmp_path / "rm.log") as server:
        play = DrillPlay(small_drill(), listeners=server.listeners)
        play.has_begun = True
        found = _Desk(server, play)
        client = httpx.Client
        monkeypatch.setattr(httpx, "Client", lambda **options: client(transport=found.transport, **options))
        yield found


def ask(desk: _Desk, *words: str) -> tuple[int, list[str]]:
    place = ("--rm", "http://127.0.0.1:1")
    done = CliRunner(env={"SCHEDLAB_TOKEN": desk.server.token}).invoke(yarn.app, [*words, *place])
    return done.exit_code, done.output.splitlines()


def test_applications_are_listed_in_the_columns_of_the_command(desk: _Desk) -> None:
    code, lines = ask(desk, "application", "-list")
    assert code == 0
    assert lines[0].endswith("(application-types: [] and states: [SUBMITTED, ACCEPTED, RUNNING]):3")
    assert lines[1].startswith("                Application-Id\t    Application-Name\t    Application-Type\t")
    assert {len(line.split("\t")) for line in lines[1:]} == {9}
    assert ask(desk, "application", "-list", "-appStates", "FINISHED")[1][0].endswith("[FINISHED]):0")


def test_an_application_is_told_of_and_killed_once(desk: _Desk) -> None:
    _, lines = ask(desk, "application", "-list")
    name = lines[2].split("\t")[0].strip()
    told = ask(desk, "application", "-status", name)[1]
    assert told[:2] == ["Application Report : ", f"\tApplication-Id : {name}"]
    assert ask(desk, "application", "-kill", name)[1] == [f"Killing application {name}"]
    assert ask(desk, "application", "-kill", name)[1] == [f"Application {name} has already finished "]
    code, lines = ask(desk, "application", "-kill", "application_1_0009")
    assert (code, lines) == (255, ["Application with id 'application_1_0009' doesn't exist in RM."])
    assert "kill" in " ".join(desk.steps())


def test_a_queue_that_is_not_there_is_refused_in_the_words_of_the_scheduler(desk: _Desk) -> None:
    name = ask(desk, "application", "-list")[1][2].split("\t")[0].strip()
    code, lines = ask(desk, "application", "-movetoqueue", name, "-queue", "nix")
    assert (code, lines) == (yarn.FAILED, ["The specified Queue: nix doesn't exist"])


def test_nodes_and_queues_are_told_of(desk: _Desk) -> None:
    assert ask(desk, "node", "-list")[1][:2] == [
        "Total Nodes:2",
        "         Node-Id\t     Node-State\tNode-Http-Address\tNumber-of-Running-Containers",
    ]
    assert ask(desk, "node", "-list", "-states", "LOST")[1][0] == "Total Nodes:0"
    told = ask(desk, "queue", "-status", "default")[1]
    assert told[:4] == ["Queue Information : ", "Queue Name : default", "\tState : RUNNING", "\tCapacity : 100.0%"]
    assert ask(desk, "queue", "-status", "nix")[0] == 255


@pytest.mark.parametrize("words", [("application", "-lst"), ("application", "-kill"), ("node", "-status", "n1")])
def test_an_option_that_is_not_there_is_refused(desk: _Desk, words: tuple[str, ...]) -> None:
    assert ask(desk, *words)[0] == 2
    assert desk.steps() == []


def test_what_is_asked_is_in_the_record_once_in_a_row(desk: _Desk) -> None:
    with httpx.Client(base_url="http://127.0.0.1:1") as client:
        codes = [client.get(path).status_code for path in ("/ws/v1/cluster/apps",) * 2 + ("/schedlab/v1/clock",)]
    assert codes == [200, 200, 403]
    assert desk.steps() == ["observe GET /ws/v1/cluster/apps"]


def test_nothing_is_done_to_a_drill_before_it_begins(desk: _Desk) -> None:
    desk.play.has_begun = False
    name = ask(desk, "application", "-list")[1][2].split("\t")[0].strip()
    assert ask(desk, "application", "-kill", name)[0] == yarn.FAILED
    assert desk.steps() == []


def test_the_log_grows_with_the_drill(desk: _Desk, tmp_path: Path) -> None:
    before = (tmp_path / "rm.log").read_text()
    assert "State change from ACCEPTED to RUNNING" in before
    name = ask(desk, "application", "-list")[1][2].split("\t")[0].strip()
    ask(desk, "application", "-kill", name)
    assert f"{name} State change from" in (tmp_path / "rm.log").read_text().removeprefix(before)


def _status(drill: DrillScenario, queue: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    with served_drill(drill, 0, tmp_path / "rm.log") as server:
        transport = _Loop(httpx.ASGITransport(server.app(DrillPlay(drill, listeners=server.listeners))))
        client = httpx.Client
        monkeypatch.setattr(httpx, "Client", lambda **options: client(transport=transport, **options))
        done = CliRunner().invoke(yarn.app, ["queue", "-status", queue, "--rm", "http://127.0.0.1:1"])
    return done.output.splitlines()


@pytest.mark.parametrize(
    ("release", "lines"), [("2.7", []), ("3.4", ["\tPreemption : disabled", "\tIntra-queue Preemption : disabled"])]
)
def test_preemption_of_a_queue_is_told_since_hadoop_2_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, lines: list[str]
) -> None:
    drill = small_drill("capacity-2.7", f"capacity-{release}")
    assert _status(drill, "default", tmp_path, monkeypatch)[8:] == lines


@pytest.mark.parametrize("release", ["2.7", "3.4"])
def test_a_fair_queue_has_its_own_form_since_hadoop_3_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    settings = TEXT[TEXT.index("[settings]") : TEXT.index("[[workload]]")]
    queue = '<queue name="default"><minResources>1024 mb,2 vcores</minResources></queue>'
    rules = f"scheduler = \"fair-{release}\"\nallocations = '<allocations>{queue}</allocations>'"
    text = TEXT.replace(settings, "").replace('scheduler = "capacity-2.7"', rules)
    text = "\n".join(line for line in text.splitlines() if "maximum-am-resource-percent" not in line or "hints" in line)
    told = _status(drill_of(parse(text, "fair.toml")), "default", tmp_path, monkeypatch)
    amounts = [
        "Scheduler Name : FairScheduler",
        "Queue Name : root.default",
        "\tState : RUNNING",
        "\tMinResource : <memory : 1024, vCores:2>",
        "\tMaxResource : <memory : 16384, vCores:16>",
        "\tReservedResource : <memory : 0, vCores:0>",
        "\tSteadyFairShare : <memory : 8192, vCores:0>",
        "\tQueue Preemption : enabled",
    ]
    assert (told[1:] == amounts) is (release == "3.4")
    assert any(line.startswith("\tCapacity : ") for line in told) is (release == "2.7")


@pytest.mark.parametrize(("shows", "figures"), [("full", [8192, 0]), ("empty", [0, 8192]), ("nothing", [0, 0])])
def test_a_false_reading_of_an_exam_is_what_rest_and_log_say(tmp_path: Path, shows: str, figures: list[int]) -> None:
    reading = f'readings = [{{at = 0, until = 60, node = "n1", shows = "{shows}"}}]'
    drill = small_drill("[[drill.forbidden]]", f"[drill.exam]\n{reading}\n[[drill.forbidden]]").as_exam()
    with served_drill(drill, 0, tmp_path / "rm.log") as server:
        play = DrillPlay(drill, listeners=server.listeners)
        play.has_begun, run = True, play.session.driver.run
        transport = _Loop(httpx.ASGITransport(server.app(play)))
        asked = httpx.Client(base_url="http://127.0.0.1:1", transport=transport)

        def told() -> dict[str, list[int]]:
            rows = asked.get("/ws/v1/cluster/nodes").json()["nodes"]["node"]
            names = ("usedMemoryMB", "availMemoryMB")
            return {row["nodeHostName"]: [row[name] for name in names] for row in rows}

        assert told() == {"n1": figures, "n2": [0, 8192]}
        logged = (tmp_path / "rm.log").read_text()
        for row in asked.get("/ws/v1/cluster/apps").json()["apps"]["app"]:
            path, token = f"/ws/v1/cluster/apps/{row['id']}/state", {"Authorization": f"Bearer {server.token}"}
            asked.put(path, json={"state": "KILLED"}, headers=token)
        lines = (tmp_path / "rm.log").read_text().removeprefix(logged).splitlines()
        of_n1 = [line for line in lines if "n1:" in line and "available" in line]
        assert of_n1
        assert all(f"<memory:{figures[0]}, " in line and f"<memory:{figures[1]}, " in line for line in of_n1)
        run.advance(drill.drill.begins_ms + 60_000 - 1)
        assert told()["n1"] == figures
        run.advance(drill.drill.begins_ms + 60_000)
        assert told() == {"n1": [0, 8192], "n2": [0, 8192]}
