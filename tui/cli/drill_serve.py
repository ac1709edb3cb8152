"""`drill play --listen`: the ResourceManager of a drill answers while it is played, and its log grows in a file.

What is asked and done there is in the record of the drill as what is done on its screen. The drill's clock is the
screen's alone.
"""

import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.control_plane.protocol import Answer
from engine.errors import ConfigError, Problem, RefusedError
from engine.model.ledger import Node
from engine.observe.journal import NewFile
from engine.observe.rm_log import ResourceManagerLogWriter
from engine.scenario.acts import Act
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import release_of
from engine.simulation.records import Listener, Record
from engine.training.drill import DrillScenario, Exam
from tui.cli.listening import listening_at
from tui.cli.yarn import PLACE, ServedPlace
from tui.serving.serve_app import CLOCK, ServedApp
from tui.serving.serve_limits import answering
from tui.session.drill import DrillPlay
from tui.sharing.socket_directory import default_folder, make_private, write_private

HERE: Final = "127.0.0.1"
TOKEN_BYTES: Final = 16


class DrillServer:
    def __init__(self, drill: DrillScenario, place: Path, listening: socket.socket, log: Path) -> None:
        """`place` is the folder of the file that says where. A log that is there already is a `ConfigError`."""
        self._past, self._log = ApplicationPast(), log
        self._listening, self._place = listening, place / f"{drill.name}-{os.getpid()}{PLACE}"
        self._exam, self._now_ms = drill.drill.exam if drill.is_exam else Exam(), 0
        file = NewFile.create(log)
        self._writer = ResourceManagerLogWriter(
            file,
            drill.scenario,
            lambda node, figures: self._exam.reported_figures(node.rpartition(":")[0], figures, self._now_ms),
        )
        self.listeners: Sequence[Listener] = (self._past, self)  # What has to hear the run from its beginning
        self._drill = drill
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._address = f"{HERE}:{listening.getsockname()[1]}"
        self._asked = ""

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._now_ms = time_ms - self._drill.begins_ms
        self._writer.on_records(time_ms, records)

    @property
    def tools(self) -> str:
        return (
            f"curl http://{self._address}/ws/v1/cluster/apps\n"
            "schedlab drill yarn application -list, -status ID, -kill ID, -movetoqueue ID -queue Q\n"
            "schedlab drill yarn node -list; schedlab drill yarn queue -status Q\n"
            f"tail -f {self._log}\n\n"
            f"Acts by curl bring along: Authorization: Bearer {self.token}\n"
            "All of it is in the record of the drill."
        )

    def app(self, play: DrillPlay) -> ASGIApp:
        driver = play.session.driver

        def act(what: Act) -> Answer:
            if play.is_over or not play.has_begun:
                raise RefusedError("NotNow", f"the drill {'is over' if play.has_begun else 'has not begun'}")
            if refusal := play.not_permitted(what):
                raise RefusedError("AccessControlException", refusal)
            answer = driver.run.simulation.act(what)
            driver.changed()
            return answer

        def reported(node: Node) -> Node:
            return self._exam.reported_node(node, play.now_ms)

        release = release_of(self._drill.scenario.scheduler)
        served = ServedCluster(lambda: driver.run.simulation, act, self._past, release, self._address, reported)
        return self._recorded(ServedApp(served, ServedPace(driver.run), self.token).app(), play)

    async def serve(self, play: DrillPlay) -> None:
        server = answering(self.app(play))
        self._place.unlink(missing_ok=True)
        write_private(self._place, msgspec.json.encode(ServedPlace(f"http://{self._address}", self.token)).decode())
        await server.serve([self._listening])

    def close(self) -> None:
        """Be found no longer; a log that the user named stays."""
        self._place.unlink(missing_ok=True)
        if self._log.parent == self._place.parent:
            self._log.unlink(missing_ok=True)
        self._listening.close()
        self._writer.__exit__(None, None, None)

    def _recorded(self, app: ASGIApp, play: DrillPlay) -> ASGIApp:
        """The application with every other question than the last one in the record; no one drives the clock."""

        async def asked(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["path"].startswith(CLOCK):
                refusal = JSONResponse({"error": "the clock of a drill is on its screen"}, 403)
                return await refusal(scope, receive, send)
            words = f"{scope.get('method', '')} {scope.get('path', '')}"
            if words != self._asked:
                self._asked = words
                play.asked(words)
            return await app(scope, receive, send)

        return asked


@contextmanager
def served_drill(drill: DrillScenario, port: int, log: Path | None) -> Iterator[DrillServer]:
    """A server for a drill, listening, and the file of its ResourceManager's log; both end with it.

    Without a `log` it takes a file in the folder of shared sessions. Raises ConfigError if the drill has no
    ResourceManager, the address is taken, or the file is there already.
    """
    if drill.scenario.system != "yarn":
        words = f"{drill.name} has no ResourceManager: its scheduler is {drill.scenario.scheduler}"
        raise ConfigError.of(words, key="--listen")
    folder = default_folder()
    try:
        make_private(folder)
    except OSError as error:
        problem = Problem(f"cannot be used: {(error.strerror or str(error)).lower()}", str(folder), key="--listen")
        raise ConfigError([problem]) from None
    log = (log or folder / f"{drill.name}-{os.getpid()}.log").absolute()
    server = DrillServer(drill, folder, listening_at(HERE, port), log)
    try:
        yield server
    finally:
        server.close()
