"""Read every file of a folder of recorded answers as a watch reads them.

python -m tests.gates.answers FOLDER     one line for each file that is read, refused or wrong, then the counts
"""

import json
import sys
from collections import Counter
from pathlib import Path

from tests.gates.answers.reading import NOT_ASKED, WRONG, outcome


def statuses(folder: Path) -> dict[str, int]:
    """File → the status of its answer, as the folder's index has it."""
    index = folder / "index.json"
    entries = json.loads(index.read_text(encoding="utf-8")) if index.exists() else []
    return {entry["file"]: entry["status"] for entry in entries if entry.get("file")}


def check(folder: Path) -> Counter[str]:
    """Read every file and say what came of it; how often what did."""
    counts: Counter[str] = Counter()
    for place in sorted({path.parent for path in folder.rglob("*") if path.is_file()}):
        known = statuses(place)
        for path in sorted(each for each in place.iterdir() if each.is_file()):
            found, words = outcome(path.name, path.read_bytes(), known.get(path.name, 200))
            counts[found] += 1
            if found != NOT_ASKED:
                print(f"{found:8} {path.relative_to(folder)}{f': {words[:100]}' if words else ''}")
    return counts


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    total = check(Path(sys.argv[1]))
    print(", ".join(f"{count} {name}" for name, count in sorted(total.items())))
    sys.exit(1 if total[WRONG] else 0)
