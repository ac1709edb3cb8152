"""`python -m tests.manual [pictures [NAME…]]`: write the texts that come from the program, or the pictures."""

import sys
from collections.abc import Callable, Mapping

from tests.manual.pages import WRITTEN
from tests.test_architecture import ROOT


def main(arguments: list[str]) -> None:
    made: Mapping[str, Callable[[], str]] = WRITTEN
    if arguments[:1] == ["pictures"]:
        from tests.manual.pictures import PICTURES  # noqa: PLC0415 -- loads the whole interface

        names = arguments[1:] or list(PICTURES)
        made = {f"docs/pictures/{name}.svg": PICTURES[name] for name in names}
    for path, text in made.items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _ = target.write_text(text(), encoding="utf-8")
        sys.stderr.write(f"{path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
