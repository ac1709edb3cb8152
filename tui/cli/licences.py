"""The licences of what is installed with the program: every package it needs at run time, and what those need."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Final

OURS: Final = "schedlab"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"extra\s*==\s*['\"]([\w-]+)")
TOOLS: Final = frozenset({"dev", "docs", "test"})  # The extras of what is needed to develop, not to run
_OSI: Final = "License :: OSI Approved :: "
LONGEST: Final = 60


def licence_lines() -> list[str]:
    """One line for each package that is installed: name, version, licence; in order of name."""
    found: dict[str, Distribution] = {}
    left = [OURS]
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or of an extra that is not installed
        left += _needed(found[name], is_ours=name == OURS)
    return [f"{name:24} {one.version:14} {_licence(one)}" for name, one in sorted(found.items())]


def _needed(one: Distribution, *, is_ours: bool) -> Iterator[str]:
    for each in one.requires or ():
        name, extra = _NAME.match(each), _EXTRA.search(each)
        if name is not None and (extra is None or (is_ours and extra[1] not in TOOLS)):
            yield name[0].lower().replace("_", "-").replace(".", "-")


def _licence(one: Distribution) -> str:
    said = one.metadata.json
    named, text, classifiers = said.get("license_expression"), said.get("license"), said.get("classifier")
    if isinstance(named, str):
        return named
    line = text.strip().partition("\n")[0] if isinstance(text, str) else ""
    if 0 < len(line) <= LONGEST:
        return line
    return ", ".join(each.removeprefix(_OSI) for each in classifiers or () if each.startswith(_OSI)) or "not said"
