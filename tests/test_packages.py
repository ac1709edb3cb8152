"""What is packaged: packages declared and pinned, wheels with their compiled classes, the targets of make."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path, PurePosixPath

import pytest

from engine.state import State
from tests.test_architecture import ROOT
from tui.cli.help import licence_lines

PINNED = re.compile(
    r"^([A-Za-z0-9._-]+)==([^\s;]+)([^\n]*)((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)*)", re.MULTILINE
)


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _pinned(file: str) -> dict[str, tuple[str, str, int]]:
    """Package → its version, for which systems, and how many hashes."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return {
        _name(found[1]): (found[2], found[3].strip(" \\"), found[4].count("--hash")) for found in PINNED.finditer(text)
    }


def _imported(folder: str) -> Iterator[str]:
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    declared = {_name(re.split(r"[\[><=~ ]", each)[0]) for each in wanted}
    roots = {name.partition(".")[0] for folder in ("engine", "tui", "scenarios") for name in _imported(folder)}
    known = packages_distributions()
    others = {_name(known[each][0]) for each in roots - sys.stdlib_module_names if each in known} - {"schedlab"}

    assert "rich" in others
    assert others <= declared


def test_every_package_at_run_time_has_hashes_of_the_version_that_is_pinned() -> None:
    """So `pip install --require-hashes` takes what was tried and nothing else; no address of a registry is named."""
    pins, hashed = _pinned("constraints.txt"), _pinned("constraints-hashes.txt")
    needed = {_name(line.split()[0]) for line in licence_lines()} - {"schedlab"}

    assert needed <= set(hashed)
    assert all(count > 0 for _, _, count in hashed.values())
    everywhere = {name: version for name, (version, systems, _) in hashed.items() if not systems}
    assert everywhere == {name: pins[name][0] for name in everywhere}
    assert "://" not in (ROOT / "constraints-hashes.txt").read_text(encoding="utf-8")


# What is in the wheel: the packages with their data, and nothing else.

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


# What the Makefile promises, and what every Python from 3.11.2 on can do.


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_start_finds_bytecode(tmp_path: Path) -> None:
    """What is installed and our own packages are compiled before the first start, not by it."""
    planned = subprocess.run(
        ["make", "--dry-run", "demo", f"VENV={tmp_path}/venv"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = planned.stdout.splitlines()
    compiled = next(number for number, line in enumerate(lines) if "-m compileall -q -j 0 engine tui scenarios" in line)

    assert "uv pip install --quiet --compile-bytecode" in planned.stdout
    assert all("schedlab open" not in line for line in lines[:compiled])


def test_no_pattern_repeats_possessively() -> None:
    possessive = re.compile(r"""re\.compile\(.*?(?:[\])\w.][*+?}]\+|\(\?>)""")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("engine", "tui", "scenarios")
        for path in (ROOT / folder).rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if possessive.search(line)
    ]

    assert found == []
