"""Small capacity-scheduler.xml files for the tests of their listing and of their warnings."""

from pathlib import Path

from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import ConfigurationListing, read_files
from tests.build.capacity import CAPACITY

CLASS = "yarn.resourcemanager.scheduler.class"
TWO_QUEUES = (("root.queues", "a,b"), ("root.a.capacity", "40"), ("root.b.capacity", "60"))
"""Lines 2 to 4 of a file."""


def write(folder: Path, *properties: tuple[str, str], name: str = "cs.xml") -> Path:
    """A file with one property a line from line 2 on; names below `yarn.` and `mapred` stand as they are."""
    keys = [(key if key.startswith(("yarn.", "mapred")) else CAPACITY + key, value) for key, value in properties]
    lines = [f"<property><name>{key}</name><value>{value}</value></property>" for key, value in keys]
    path = folder / name
    path.write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    return path


def read(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> ConfigurationListing:
    """What a file of two queues and more properties means; those are on lines 5 and on."""
    return read_files([write(folder, *TWO_QUEUES, *properties)], era)


def of_values(listing: ConfigurationListing) -> list[Problem]:
    """The warnings about single values: those that no rule about the whole cluster gave."""
    of_rules = [finding.problem for finding in listing.findings]
    return [warning for warning in listing.warnings if warning not in of_rules]


def refusals(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> list[str]:
    """What a file of these properties alone is refused for, without its folder; empty when it is accepted."""
    try:
        read_files([write(folder, *properties)], era)
    except ConfigError as error:
        return [str(problem).replace(f"{folder}/", "") for problem in error.problems]
    return []
