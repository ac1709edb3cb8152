"""What is in the wheel: the packages with their data, and nothing else."""

import ast
import inspect
import re
import subprocess
from importlib import import_module
from pathlib import PurePosixPath

import pytest

from engine.state import State
from tests.test_architecture import ROOT

PACKAGES = ("engine", "tui", "scenarios")
DATA = {
    "engine": {".typed", ".css", ".toml"},
    "tui": {".typed", ".css", ".js", ".html", ".json", ".xterm"},
    "scenarios": {".typed", ".toml", ".json"},
}
"""Package → endings of its files beside those of Python."""


@pytest.fixture(scope="module")
def shipped() -> list[str]:
    """Every file that the builder takes, by its path in the wheel."""
    wheel = pytest.importorskip("hatchling.builders.wheel", reason="the builder of the wheel is not installed")
    return sorted(each.distribution_path for each in wheel.WheelBuilder(str(ROOT)).recurse_included_files())


def test_the_wheel_has_the_packages_and_their_data_alone(shipped: list[str]) -> None:
    paths = [PurePosixPath(path) for path in shipped]

    assert {path.parts[0] for path in paths} == set(PACKAGES)
    strange = [path for path in paths if path.suffix not in DATA[path.parts[0]] | {".py"}]
    assert strange == []
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(shipped)


def test_the_wheel_has_every_file_that_is_under_version_control_there(shipped: list[str]) -> None:
    listed = subprocess.run(["git", "ls-files", "-z", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    assert "tui/web/LICENSE.xterm" in shipped
    kept = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]

    assert sorted(kept) == [path for path in shipped if path in kept]


@pytest.mark.slow
def test_every_class_of_the_state_is_rewritten_for_the_compiler() -> None:
    """It has no metaclass, and says after its body how each slot is copied."""
    build = pytest.importorskip("hatch_build", reason="the builder of the wheel is not installed")
    modules = [import_module(".".join(path.with_suffix("").parts)) for path in build.compiled_modules()]
    written = "\n".join(build.rewritten(inspect.getsource(module), module) for module in modules)
    states = [each for module in modules for each in vars(module).values() if isinstance(each, State)]
    own = {each.__name__ for each in states if each.__module__ in {module.__name__ for module in modules}}

    ast.parse(written)
    assert "metaclass=State" not in written
    assert own == set(re.findall(r"^register_compiled\((\w+), ", written, re.MULTILINE))
    assert "register_compiled(TaskCounts" not in written
    assert "SharePolicy, {'name': 'shared', 'dimensions': 'shared', 'total': 'shared'" in written


def test_what_is_replaced_for_the_compiler_is_there() -> None:
    """Once in each file, so that no edit of the file undoes it in silence."""
    build = pytest.importorskip("hatch_build", reason="the builder of the wheel is not installed")

    assert [(ROOT / name).read_text("utf-8").count(found) for name, (found, _) in build.REPLACED.items()] == [1]
