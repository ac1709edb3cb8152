"""The options of commands that make a twin, its configuration files, and the twin of a recorded past."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from engine.errors import ConfigError, Problem
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import read_file_text
from engine.live.twin.configuration import TwinConfiguration, configuration_of_cluster, scheduler_named
from engine.observe.snapshot import Snapshot
from engine.recorded.series import SnapshotSeries
from tui.commands.arguments import scheduler_names
from tui.session.opening import TwinOpener

FairFile = Annotated[
    Path | None, typer.Option("--fair-scheduler", metavar="FILE", help="The cluster's fair-scheduler.xml.")
]
CapacityFile = Annotated[
    Path | None, typer.Option("--capacity-scheduler", metavar="FILE", help="The cluster's capacity-scheduler.xml.")
]
SiteFile = Annotated[Path | None, typer.Option("--yarn-site", metavar="FILE", help="Its yarn-site.xml; else /conf.")]
Policy = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="NAME",
        help="fair-2.7, capacity-3.4 …, where a log does not say.",
        autocompletion=scheduler_names,
    ),
]
Remaining = Annotated[
    list[str] | None,
    typer.Option(
        "--remaining",
        metavar="[APP=]D",
        help="How long containers run on whose end is not known: 10m, forever; of one application APP=10m. "
        "Else as its progress and others like it let one conclude, or as long again as it has run.",
    ),
]


class ClusterFiles(NamedTuple):
    """Configuration files that a user named."""

    fair: Path | None = None
    capacity: Path | None = None
    site: Path | None = None
    scheduler: str | None = None
    """The policy, as scenarios call it; None takes what the cluster says."""

    def checked(self) -> "ClusterFiles":
        """Themselves; files that cannot be read, and an unknown scheduler, are refused before anybody needs them.

        Raises:
            ConfigError: One cannot, or is none of YARN's.
        """
        if self.scheduler is not None:
            _ = scheduler_named(self.scheduler)
        _ = self.settings(None), self.allocations()
        return self

    def refuse_beside(self, what: str) -> None:
        """Refuse any file, since a simulation has its configuration. `what` else than a simulation they are for.

        Raises:
            ConfigError: One is named.
        """
        if any(each is not None for each in self):
            raise ConfigError([Problem(f"configuration files of a cluster are for {what} alone", key="open")])

    def settings(self, of_server: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """Hadoop keys of the files, or of the server where no yarn-site.xml is named; None where nobody says any.

        Raises:
            ConfigError: A file cannot be read.
        """
        paths = [path for path in (self.site, self.capacity) if path is not None]
        read = dict(read_configurations(paths).values) if paths else {}
        if self.site is None and of_server is None:
            return read or None
        return {**(of_server or {} if self.site is None else {}), **read}

    def allocations(self) -> str | None:
        """The text of fair-scheduler.xml; None where none is named.

        Raises:
            ConfigError: It cannot be read.
        """
        return None if self.fair is None else read_file_text(self.fair)

    def configuration(self, snapshot: Snapshot, of_server: Mapping[str, str] | None) -> TwinConfiguration:
        """The configuration of a cluster.

        `of_server` is what its server says of its settings; None where it says nothing.

        Raises:
            ConfigError: A file cannot be read, or nobody says what the scheduler is.
        """
        allocations = self.allocations()
        found = configuration_of_cluster(snapshot, self.settings(of_server), allocations, self.scheduler)
        if allocations is not None:
            era = "3.4" if found.scheduler.endswith("-3.4") else "2.7"
            read_fair_scheduler(allocations, file=str(self.fair), settings=found.settings, era=era)
        return found


NO_FILES: Final = ClusterFiles()
"""The user names none."""


def recorded_twin(series: SnapshotSeries, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:
    """Makes twins of a recorded past, which says nothing of its settings."""
    return TwinOpener(series.name, looked_at, files.configuration, offset_ms=series.offset_ms)
