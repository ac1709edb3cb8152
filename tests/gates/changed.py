"""Names the tests that reach what the working tree changes, by who imports whom: `python -m tests.gates.changed`.

`--since COMMIT` counts from a commit on; `--product` names the changed files of the product instead.
"""

import argparse
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "tui", "scenarios", "tests")
PRODUCT = ("engine", "tui")
FROM = r"from (?P<module>[\w.]+) import (?:\((?P<many>[^)]*)\)|(?P<few>[^\n]+))"
IMPORTS = re.compile(rf"^[ \t]*(?:{FROM}|import (?P<plain>[\w.]+))", re.MULTILINE)


def changed(since: str) -> list[str]:
    """Files that differ from a commit, new ones too."""
    asked = (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"])
    told = (subprocess.run(["git", *each], cwd=ROOT, capture_output=True, text=True, check=True) for each in asked)
    return sorted({line for one in told for line in one.stdout.splitlines()})


def importers() -> dict[str, set[str]]:
    """File → files that import it."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    names = {_module(path): str(path.relative_to(ROOT)) for path in files}
    found = defaultdict(set)
    for path in files:
        for name in _imported(path.read_text(encoding="utf-8")):
            if name in names:
                found[names[name]].add(str(path.relative_to(ROOT)))
    return found


def reached(files: Iterable[str], importers: Mapping[str, set[str]]) -> list[str]:
    """Test files among some files and all that import them."""
    seen = set(files)
    todo = list(seen)
    while todo:
        more = importers.get(todo.pop(), set()) - seen
        seen |= more
        todo += more
    return sorted(each for each in seen if Path(each).name.startswith("test_") and (ROOT / each).is_file())


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imported(text: str) -> set[str]:
    names = set()
    for one in IMPORTS.finditer(text):
        module = one["module"] or one["plain"]
        names |= {module, *(f"{module}.{name.strip()}" for name in (one["many"] or one["few"] or "").split(","))}
    return names


def _readers(files: Iterable[str]) -> set[str]:
    """Test files that name the folder of a changed file of data."""
    folders = {Path(each).parent.name for each in files if each.startswith("tests/cases/")}
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py") if folders}
    return {str(path.relative_to(ROOT)) for path, text in texts.items() if any(f'"{one}' in text for one in folders)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--since", default="HEAD", metavar="COMMIT")
    parser.add_argument("--product", action="store_true", help="the changed files of the product")
    given = parser.parse_args()
    files = changed(given.since)
    python = [each for each in files if each.endswith(".py") and (ROOT / each).is_file()]
    if given.product:
        print("\n".join(each for each in python if each.startswith(PRODUCT)))
    else:
        print("\n".join(reached({*python, *_readers(files)}, importers())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
