"""The table of hosts and racks that Hadoop's `TableMapping` reads.

One host (or address) and one rack per line, divided by blanks; `#` begins a comment line.

Source: o.a.h.net.TableMapping (`net.topology.table.file.name`), Hadoop 2.7.2.
"""

from collections.abc import Mapping

import msgspec

from engine.errors import Problem, Problems

DEFAULT_RACK = "/default-rack"
"""Where a host is that the table does not name. Source: NetworkTopology#DEFAULT_RACK."""


class RackTable(msgspec.Struct, frozen=True):
    """Which rack each host is in."""

    racks: Mapping[str, str]
    """Host → rack."""
    lines: Mapping[str, int]
    """Host → line."""
    warnings: tuple[Problem, ...]

    def rack(self, host: str) -> str:
        """The host's rack; the default one when the table does not name it."""
        return self.racks.get(host, DEFAULT_RACK)


def read_topology(text: str, file: str = "") -> RackTable:
    """The racks of a table; lines without two columns are ignored with a warning, as Hadoop does."""
    problems = Problems(file)
    racks: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        columns = line.split()
        if not columns or columns[0].startswith("#"):
            continue
        if len(columns) != 2:
            problems.warn("does not have two columns, host and rack; Hadoop ignores the line", line=number)
            continue
        host, rack = columns
        if host in racks:
            problems.warn(f"given again; line {lines[host]} has no effect", line=number, key=host)
        if not rack.startswith("/"):
            problems.warn(f"the rack {rack} does not begin with /", line=number, key=host, hint=f"/{rack} is meant")
        racks[host] = rack
        lines[host] = number
    return RackTable(racks, lines, tuple(problems.warnings))
