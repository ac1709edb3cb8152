"""The files that a kill passes on its way from the key to the journal."""

import sys
from pathlib import Path
from types import FrameType
from typing import Final

from engine.run.run_reader import KeptRun
from engine.scenario.acts import KillApplication
from tests.tui.session.test_keeping import keep_in
from tests.tui.test_cli import SMALL
from tui.acts.asking import ActsConfirmed
from tui.app import SchedlabApp
from tui.protocol.form import NEVER
from tui.session.opening import open_session

ROOT: Final = Path(__file__).parents[2]

PATH: Final = [
    "tui/acts/asking.py",
    "tui/app.py",
    "tui/screens/requests.py",
    "tui/session/session.py",
    "engine/scenario/acts.py",
    "engine/simulation/simulation.py",
    "engine/simulation/act_handlers.py",
]
"""What `ApplicationActs.kill` makes is given to functions of these files, in this order, and then recorded."""


class Follower:
    """Notes the files of the product with a function that is given a kill, or the request that carries it."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Look at the arguments of a call; the rows of a snapshot are asked for their type alone."""
        path = Path(frame.f_code.co_filename)
        if event != "call" or not any(path.is_relative_to(ROOT / package) for package in ("engine", "tui")):
            return
        arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        is_given = any(type(frame.f_locals.get(name)) in {KillApplication, ActsConfirmed} for name in arguments)
        name = str(path.relative_to(ROOT))
        if is_given and name not in self.files:
            self.files.append(name)


async def test_a_kill_passes_few_files(tmp_path: Path) -> None:
    scenario, follower = tmp_path / "small.toml", Follower()
    scenario.write_text(SMALL)
    app = SchedlabApp(open_session(str(scenario), at="+20", paused=True, keep=keep_in(tmp_path, "one")), confirm=NEVER)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        sys.setprofile(follower)
        try:
            await pilot.press("K")
            await pilot.pause()
        finally:
            sys.setprofile(None)

    with KeptRun(tmp_path, "one") as run:
        assert [act for _, act in run.acts()] == [KillApplication(183354)]
    assert follower.files == PATH
