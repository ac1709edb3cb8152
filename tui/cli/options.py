"""Arguments and options that several commands take, with the words the shell may complete."""

import errno
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final, get_args

import platformdirs
import typer

from engine.errors import ConfigError, EngineError, Problem
from engine.formats.scenario_toml import packaged
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.settings.capacity import CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.spark import SPARK
from tui.cli.cli_errors import NOT_DONE
from tui.session.keeping import wall_time
from tui.settings import resolve

DAY_MS: Final = 86_400_000  # Later instants need a date, which nobody completes


def scenario_names(incomplete: str) -> list[str]:
    """Names of packaged scenarios that begin so; files are completed by the shell itself."""
    return [name for name in packaged() if name.startswith(incomplete)]


def setting_names(incomplete: str) -> list[str]:
    """Settings of every scheduler that begin so, each with its sign; for the shell to complete."""
    of_capacity = {key for key, entry in CAPACITY_34.whole.items() if entry.listed and entry.key.prefix}
    known = {*FAIR_27.listed(), *FAIR_34.listed(), *SPARK.whole, *of_capacity}
    return [f"{name}=" for name in sorted(known) if name.startswith(incomplete)]


def queue_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Queues of the scenario named before, with or without `root.`; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.run import Run  # noqa: PLC0415 -- only the shell pays for it, too

    try:
        rows = Run(load(_named(ctx))).snapshot().queues()
    except EngineError:
        return []
    paths = [row.path for row in rows]
    return [path for path in (*paths, *(each.removeprefix("root.") for each in paths)) if path.startswith(incomplete)]


def application_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Numbers of applications of the scenario named before, and names of one word that only one has; for the shell."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.workload.services import arrivals  # noqa: PLC0415 -- only the shell pays for it, too

    try:
        coming = arrivals(load(_named(ctx)).workload)
    except EngineError:
        return []
    names = Counter(one.spec.name for one in coming if one.spec.name and " " not in one.spec.name)
    numbers = sorted(one.number for one in coming if one.number is not None)
    words = [*map(str, numbers), *(name for name, count in names.items() if count == 1)]
    return [one for one in words if one.startswith(incomplete)]


def instants(ctx: typer.Context, incomplete: str) -> list[str]:
    """Start, acts, faults and end of the scenario named before, as `09:00:00`; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it

    try:
        scenario = load(_named(ctx))
    except EngineError:
        return []
    found = {0, scenario.duration_ms, *(step.at_ms for step in (*scenario.script, *scenario.faults))}
    within = sorted(at_ms for at_ms in found if at_ms < DAY_MS)
    clocks = [f"{scenario.start + timedelta(milliseconds=at_ms):%H:%M:%S}" for at_ms in within]
    return [clock for clock in dict.fromkeys(clocks) if clock.startswith(incomplete)]


def node_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Nodes of the scenario named before; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.run import Run  # noqa: PLC0415 -- only the shell pays for it, too

    try:
        rows = Run(load(_named(ctx))).snapshot().nodes()
    except EngineError:
        return []
    return [row.host for row in rows if row.host.startswith(incomplete)]


def scheduler_names(incomplete: str) -> list[str]:
    """Schedulers a scenario may name; for the shell to complete."""
    from engine.scenario import Scenario  # noqa: PLC0415 -- only the shell pays for it

    known = Scenario.model_fields["scheduler"].annotation
    return [name for name in get_args(known) if name.startswith(incomplete)]


def _named(ctx: typer.Context) -> str:
    """The scenario named before, which is among the rest while an option has no value yet."""
    return str(ctx.params.get("name") or next(iter(ctx.args), ""))


ScenarioName = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        help="A packaged scenario, or a TOML file.",
        show_default=False,
        autocompletion=scenario_names,
    ),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Set one key on top; may be repeated.", autocompletion=setting_names
    ),
]
QueuePath = Annotated[
    str | None, typer.Option("--queue", metavar="PATH", help="Who waits in a queue.", autocompletion=queue_names)
]
Journal = Annotated[
    Path | None, typer.Option("--journal", metavar="FILE", help="Write everything that happens to a new file.")
]
Trust = Annotated[bool, typer.Option("--trust", help="Let the scenario name files outside its folder.")]


# A bound on the wall time a command spends on copies.
#
# How much is found within it depends on the machine; what is found never does.

SECONDS: Final = 5.0  # How much there is when nothing else is said

BudgetOption = Annotated[
    float, typer.Option("--budget", metavar="SECONDS", min=0.0, help="How long is looked at most; 0 is without end.")
]


PART: Final = 2 / 3  # The part of the time for an answer, where what it hangs on is looked at after it


class Budget:
    """Wall time that is being used up."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count.

        Args:
            seconds: How much there is; 0 never ends.
            clock: Wall time [s]; replaced in tests.
        """
        self._clock = clock
        self._end = clock() + seconds if seconds else None

    def goes_on(self) -> bool:
        """True while some of the budget is left."""
        return self._end is None or self._clock() < self._end

    def spend(self, advance: Callable[[], bool]) -> bool:
        """Do pieces of some work until it says that it is done, or nothing is left; whether it is done."""
        while not advance():
            if not self.goes_on():
                return False
        return True


def budget_of_answer(seconds: float, *, hangs: bool) -> Budget:
    """The time for an answer; where it `hangs` on assumptions, some is left for those."""
    return Budget(seconds * PART if hangs else seconds)


# Finds the folder of kept runs, and keeps another one.

Place = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help="Directory of kept runs; else as settings say, else the user's data."),
]

IsKept = Annotated[bool, typer.Option("--keep", help="Keep the run; `schedlab runs` lists what is kept.")]
KeptAs = Annotated[str | None, typer.Option("--keep-as", metavar="RUN", help="Keep the run under this name.")]


def runs_root(place: Path | None) -> Path:
    """The directory of kept runs: as named, else as the settings say, else in the user's data.

    Raises:
        ConfigError: Something in the settings is wrong.
    """
    chosen = resolve({"runs": None if place is None else str(place)}).folder("runs")
    return chosen or platformdirs.user_data_path("schedlab") / "runs"


def keeper_of(
    scenario: Scenario, name: str | None, place: Path | None, *, parent: str = "", branched_ms: int = 0
) -> RunWriter:
    """Opens a kept run of a scenario under a name, by default the first free one.

    Args:
        name: The run's; None for a free one.
        place: Directory of kept runs; None as settings say.
        parent: The run it goes on from; empty when it begins by itself.
        branched_ms: Up to where it is as its parent [epoch ms].

    Raises:
        ConfigError: The name is taken, or nothing can be written there.
    """
    return RunWriter(runs_root(place), name, scenario, created=wall_time(), parent=parent, branched_ms=branched_ms)


def report_kept(names: Iterable[str], failures: Sequence[str], code: int = 0) -> None:
    """Say under which names runs were kept, and what could not be kept to its end.

    `failures` are sentences, without their points; where the exit `code` of the program is 0, failures end it with
    another.
    """
    for name in names:
        typer.echo(f"kept as {name}", err=True)
    for failure in failures:
        typer.echo(f"schedlab: {failure}", err=True)
    if code or failures:
        raise typer.Exit(code or NOT_DONE)


# The address a server listens at: options of `serve` and `web`, and the socket.

MOST_PORT: Final = 65535
NEEDED: Final = ("starlette", "uvicorn")  # What the extra `server` installs

Bind = Annotated[str, typer.Option("--bind", metavar="ADDRESS", help="Address to listen at.")]
Port = Annotated[int, typer.Option("--port", metavar="N", help="Port to listen at; 0 takes any that is free.")]
Hosts = Annotated[
    list[str] | None, typer.Option("--host", metavar="NAME", help="A name it is asked by, too. May be repeated.")
]


def needed_problems() -> list[Problem]:
    """Problems that keep it from serving; none where the extra is installed."""
    missing = [each for each in NEEDED if find_spec(each) is None]
    hint = "install them with: pip install 'schedlab[server]'"
    return [Problem(f"serve needs {' and '.join(missing)}", hint=hint)] if missing else []


def port_problems(port: int) -> list[Problem]:
    """The problem of a port; empty where it is good."""
    return [] if 0 <= port <= MOST_PORT else [Problem(f"{port} is no port, which is 0 to {MOST_PORT}", key="--port")]


def listening_at(bind: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        ConfigError: The address cannot be listened at.
    """
    try:
        family = socket.AF_INET6 if ":" in bind else socket.AF_INET
        return socket.create_server((bind, port), family=family)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            hint = "--port 0 takes any that is free"
            raise ConfigError([Problem(f"port {port} of {bind} is taken", key="--port", hint=hint)]) from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no address"
        raise ConfigError([Problem(f"cannot listen at {bind} port {port}: {reason.lower()}")]) from None


def is_loopback(bind: str) -> bool:
    """True where only this machine reaches the address."""
    try:
        return ip_address(bind).is_loopback
    except ValueError:
        return bind == "localhost"
