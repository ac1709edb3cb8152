"""What the program needs: it is declared, pinned, and may be installed by its hashes."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from tests.test_architecture import ROOT
from tui.cli.licences import licence_lines

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
