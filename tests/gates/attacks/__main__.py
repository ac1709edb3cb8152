"""Runs every attack and prints one line of figures each; exit code 1 when anything is wrong."""

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from tests.gates.attacks import (
    bombs,
    descriptors,
    disk,
    files,
    interrupted,
    kills,
    names,
    network,
    readers,
    runs,
    screens,
    stores,
    terminals,
    values,
)
from tests.gates.attacks.tally import Tally

ATTACKS: Final[Mapping[str, tuple[Callable[..., Tally], int]]] = {
    "readers": (readers.attack, 20_000),
    "bombs": (bombs.attack, 100),
    "files": (files.attack, 1_000),
    "names": (names.attack, 300),
    "screens": (screens.attack, 200),
    "typed": (screens.typed, 1_000),
    "values": (values.attack, 5_000),
    "runs": (runs.attack, 500),
    "stores": (stores.attack, 2_000),
    "kills": (kills.attack, 50),
    "interrupted": (interrupted.attack, 250),
    "disk": (disk.attack, 60),
    "descriptors": (descriptors.attack, 300),
    "terminals": (terminals.attack, 20),
    "network": (network.attack, 20_000),
}
"""Name → (attack, how many attempts)."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=tuple(ATTACKS), action="append")
    parser.add_argument("--count", type=int, help="attempts of each, instead of the usual number")
    given = parser.parse_args()
    wrong = 0
    for name in given.only or ATTACKS:
        attack, count = ATTACKS[name]
        tally = attack(given.count or count, given.seed).finish()
        tally.tell()
        wrong += len(tally.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
