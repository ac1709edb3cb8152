"""The token of acts: where it is read from, and `watch` that acts on `serve` with it, both in one process."""

import os
from pathlib import Path

import httpx
import pytest

from engine.formats.scenario_toml import load
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.run import Run
from engine.scenario.acts import KillApplication
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASE_27
from tui.cli.listening import VARIABLE, token_given
from tui.cli.live import acts_of
from tui.serving.serve_app import ServedApp
from tui.session.live_acts import LiveActs

TOKEN = "secret-of-the-test"


class ServedIncident:
    """A simulation whose acts need the token, and every request that reached it."""

    def __init__(self) -> None:
        past = ApplicationPast()
        self.run = Run(load("reservation-deadlock-recorded"), [past], is_judged=False)
        self.run.advance(60_000)
        pace = ServedPace(self.run, paused=True)
        served = ServedCluster(lambda: self.run.simulation, pace.act, past, RELEASE_27, "rm1:8088")
        self._transport = httpx.ASGITransport(ServedApp(served, pace, TOKEN).app())
        self.asked: list[httpx.Request] = []

    @property
    def source(self) -> YarnSource:
        return YarnSource(RestClient(["http://rm1:8088"], self._connect), PollPace())

    def _connect(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=self._transport, event_hooks={"request": [self._note]})

    async def _note(self, request: httpx.Request) -> None:
        self.asked.append(request)

    def acts(self, token: str) -> LiveActs:
        found = acts_of(self.source, "", token)
        assert found is not None, "a ResourceManager offers acts"
        return found

    async def states(self) -> dict[str, str]:
        return {row.id: row.state for row in (await self.source.poll()).applications()}


async def test_watch_kills_an_application_of_serve_with_the_token() -> None:
    """It ends in the simulation, and the token goes along with the act alone, not with what is only read."""
    server = ServedIncident()
    first = next(iter(await server.states()))
    result = await server.acts(TOKEN).do(KillApplication(first))
    server.run.advance(server.run.now_ms + 10_000)

    assert (result.refusal, (await server.states()).get(first, "KILLED")) == ("", "KILLED")
    assert {each.method for each in server.asked if TOKEN in str(each.headers.raw)} == {"PUT"}


@pytest.mark.parametrize("token", ["", "another"])
async def test_an_act_without_the_right_token_is_refused_and_names_the_option(token: str) -> None:
    server = ServedIncident()
    before = await server.states()
    result = await server.acts(token).do(KillApplication(next(iter(before))))

    assert "--token-file" in result.refusal
    assert token not in result.refusal or not token
    assert await server.states() == before


def test_the_token_of_a_file_is_its_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "another")
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")

    assert token_given(file) == TOKEN


def test_the_token_of_the_environment_is_not_left_to_commands_that_are_started_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, TOKEN)

    assert (token_given(None), VARIABLE in os.environ) == (TOKEN, False)
