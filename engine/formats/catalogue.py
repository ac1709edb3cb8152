"""Reads what is said of the packaged scenarios where one is chosen.

`scenarios/chooser/catalogue.toml` is written by hand; `previews.json` beside it is what playing each scenario showed,
written by `python -m tests.previews`.
"""

import tomllib
from importlib.resources import files

import msgspec

from engine.scenario.catalogue import CatalogueGroup, Preview


def catalogue() -> tuple[CatalogueGroup, ...]:
    """The groups in their order."""
    text = (files("scenarios") / "chooser" / "catalogue.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["groups"], tuple[CatalogueGroup, ...])


def previews() -> dict[str, Preview]:
    """Return what playing each packaged scenario showed, by name."""
    return msgspec.json.decode((files("scenarios") / "chooser" / "previews.json").read_bytes(), type=dict[str, Preview])
