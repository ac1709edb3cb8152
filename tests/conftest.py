"""Settings that hold for every test: random cases are the same in every run, the long gate draws many more.

Where it only matters whether a test fails, as with mutants, no simpler failing case is looked for. Nor does a test see
what the person at the keyboard has set for schedlab.
"""

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.stored import GOLDEN, READ

settings.register_profile(
    "steady",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "long", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("unshrunk", parent=settings.get_profile("steady"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("steady")

THRESHOLD = (20_000, 10, 100)  # A fifth of the time of the screens' tests went into collections
SWITCH_S = sys.getswitchinterval()
gc.set_threshold(*THRESHOLD)

# Who starts the tests in the background has them ignored, and so would every program that a test starts.
for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, default)

os.environ["SCHEDLAB_SETTINGS"] = os.devnull
for name in ("NO_COLOR", "SCHEDLAB_THEME", "SCHEDLAB_ASCII", "SCHEDLAB_READ_ONLY", "SCHEDLAB_PAUSED", "SCHEDLAB_SPEED"):
    os.environ.pop(name, None)


class Documented:
    """Loads a module of the product for its examples only where it has one."""

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        is_of_tests = collection_path.is_relative_to(config.rootpath / "tests")
        if is_of_tests or collection_path.suffix != ".py" or b">>>" in collection_path.read_bytes():
            return None
        return True


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Documented())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-stored", action="store_true", help="fail where a stored screen is read by no test")
    parser.addoption("--measured", action="append", default=[], help="a folder whose quick tests run elsewhere")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the quick tests of the folders that are measured elsewhere."""
    folders = [config.rootpath / name for name in config.getoption("--measured")]
    left_out = [
        item
        for item in items
        if item.get_closest_marker("slow") is None and any(item.path.is_relative_to(folder) for folder in folders)
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def pytest_runtest_teardown() -> None:
    """What a program sets for its process ends with the test; else later tests collect every object again and again."""
    gc.unfreeze()
    gc.set_threshold(*THRESHOLD)
    sys.setswitchinterval(SWITCH_S)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands on which stored screens it read; where all tests ran, each has to be read by one of them."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["stored"] = sorted(READ)
    elif config.getoption("--every-stored"):
        unread = sorted({str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*.txt")} - READ)
        if unread:
            told = config.get_terminal_writer()
            told.line(f"\nno test reads {len(unread)} stored screens: {' '.join(unread)}")
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    READ.update(getattr(node, "workeroutput", {}).get("stored", ()))
