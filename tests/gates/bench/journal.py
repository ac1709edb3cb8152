"""The journal while something is measured: the real one, in a file of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.observe.journal import JournalWriter
from engine.scenario import ClusterSpec, Scenario

UNPLAYED = Scenario(name="speed", cluster=ClusterSpec())
"""What the header says where no scenario is played."""


@contextmanager
def journal(scenario: Scenario = UNPLAYED) -> Iterator[tuple[JournalWriter, Path]]:
    """A journal in a new folder, gone afterwards, and its file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        with JournalWriter.to_file(path, scenario) as writer:
            yield writer, path
