"""`python -m tests.manual [pictures [NAME…]]`: write the texts that come from the program, or the pictures."""

import sys

from tests.manual.pages import WRITTEN
from tests.test_architecture import ROOT


def main(arguments: list[str]) -> None:
    """Write them into the repository."""
    for path, text in WRITTEN.items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _ = target.write_text(text(), encoding="utf-8")
        sys.stderr.write(f"{path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
