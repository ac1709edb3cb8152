"""Renews the stored texts, and shows what differs as one page, before beside after: `make cases`.

python -m tests.gates.cases            renew all that quick tests read, then build/cases.html
python -m tests.gates.cases PATH…      only those that some tests read
"""

import difflib
import html
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
PAGE = ROOT / "build" / "cases.html"
HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>stored texts</title><style>
body{font:14px sans-serif;margin:2em}table{border-collapse:collapse;width:100%}td{vertical-align:top;width:50%}
pre{font:13px/1.25 monospace;margin:0;overflow-x:auto}del{background:#fdd;text-decoration:none}
ins{background:#dfd;text-decoration:none}h2{font-size:15px}</style></head><body>"""


def page(texts: dict[str, tuple[str, str]]) -> str:
    """Name → (before, after) as one page; lines that differ stand out."""
    parts = [HEAD, f"<h1>{len(texts)} stored texts differ</h1>"]
    for name, (before, after) in texts.items():
        left, right = _sides(before.splitlines(), after.splitlines())
        parts.append(
            f"<h2>{html.escape(name)}</h2><table><tr><td><pre>{left}</pre></td><td><pre>{right}</pre></td></tr></table>"
        )
    return "\n".join([*parts, "</body></html>\n"])


def differing() -> dict[str, tuple[str, str]]:
    """What differs from the last commit below the cases."""
    asked = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--", str(CASES)]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = sorted(entry[3:] for entry in told.split("\0") if entry and not entry.startswith("R"))
    return {name: (_committed(name), _now(ROOT / name)) for name in names if not name.endswith(".gz")}


def _sides(before: list[str], after: list[str]) -> tuple[str, str]:
    left, right = [], []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = before[a:b], after[c:d]
        rows = max(len(gone), len(come))
        left += _marked(gone, "" if kind == "equal" else "del", rows)
        right += _marked(come, "" if kind == "equal" else "ins", rows)
    return "\n".join(left), "\n".join(right)


def _marked(lines: list[str], tag: str, rows: int) -> list[str]:
    shown = [html.escape(line) for line in lines]
    return [f"<{tag}>{line}</{tag}>" if tag else line for line in shown] + [""] * (rows - len(shown))


def _committed(name: str) -> str:
    found = subprocess.run(["git", "show", f"HEAD:{name}"], cwd=ROOT, capture_output=True, check=False)
    return found.stdout.decode("utf-8", "replace") if found.returncode == 0 else ""


def _now(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _readers() -> list[str]:
    """Test files that read stored texts."""
    words = ("tests.stored", "tests.tui.screen_text", "tests.tui.render.drawing")
    files = sorted((ROOT / "tests" / "tui").rglob("test_*.py"))
    return [str(path) for path in files if any(word in path.read_text(encoding="utf-8") for word in words)]


def main() -> int:
    """Renew, then write the page; 1 where a test failed otherwise than by a text that differs."""
    paths = sys.argv[1:] or _readers()
    environment = {**os.environ, "SCHEDLAB_WRITE_GOLDEN": "1"}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", *paths], cwd=ROOT, env=environment, check=False)
    texts = differing()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(texts), encoding="utf-8")
    print(f"{len(texts)} stored texts differ: {PAGE.relative_to(ROOT)}")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
