"""Warns of keys of the fair scheduler in yarn-site.xml that a release does not read."""

from collections.abc import Iterable, Mapping

from engine.errors import Problem, nearest
from engine.settings.fair import AM_PREEMPTION, FAIR_27, FAIR_34, PREFIX


def unknown_keys(keys: Iterable[str], places: Mapping[str, tuple[str, int]], era: str) -> list[Problem]:
    """A warning for every key of the fair scheduler that this release does not read."""
    known, others = FAIR_27.listed(), FAIR_34.listed()
    if era == "3.4":
        known, others = others, known
    found: list[Problem] = []
    for key in keys:
        if not key.startswith(PREFIX) or key in known or (era == "3.4" and key.startswith(f"{AM_PREEMPTION}.")):
            continue
        file, line = places.get(key, ("", 0))
        other = "2.7" if era == "3.4" else "3"
        hint = f"read by Hadoop {other} only" if key in others else nearest(key, known)
        found.append(Problem("unknown key: Hadoop ignores it", file, line, key, hint))
    return found
