"""The frame of a report: head, title, numbered sections, foot, and the style."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from tui.palettes import PALETTES
from tui.report.markup import Html, element, joined, raw

POLICY: Final = "default-src 'none';style-src 'unsafe-inline';img-src data:"
"""Content-Security-Policy: nothing is fetched, nothing runs."""


class ReportSection(msgspec.Struct, frozen=True):
    """A part of a report; it gets its number from its place."""

    title: str
    contents: tuple[Html, ...]
    beside: str = ""
    """A few words at the right of the title."""
    is_long: bool = False
    """Whether it may break over pages when printed."""

    def html(self, number: int) -> Html:
        """The section, with its number."""
        words = element("small", self.beside, class_="r") if self.beside else ""
        head = element("h2", element("i", str(number)), raw(" "), self.title, raw(" "), words)
        return element("section", head, *self.contents, class_="long" if self.is_long else "")


class ReportPage(msgspec.Struct, frozen=True):
    """One report."""

    crumbs: Sequence[str]
    """From the program to what this is about, the last one set off."""
    beside: str
    """What was run, in few words."""
    headline: str
    lead: str
    head: Html
    """What stands between the lead and the first section; may be empty."""
    sections: Sequence[ReportSection]
    foot: tuple[str, str]
    """Program and what it is; what nobody should take it for."""

    def html(self) -> str:
        """The whole file."""
        *before, last = self.crumbs
        crumb = element("span", *(f"{each} › " for each in before), element("b", last))
        header = element(
            "header",
            element("div", crumb, element("span", self.beside), class_="crumb"),
            element("h1", self.headline),
            element("p", self.lead, class_="lead") if self.lead else "",
            self.head,
        )
        sections = [each.html(number) for number, each in enumerate(self.sections, start=1)]
        footer = element("footer", *(element("span", each) for each in self.foot))
        title = " · ".join(reversed(list(self.crumbs)))
        top = joined(
            raw('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
            raw(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            element("title", title),
            raw(f"<style>{style()}</style>"),
        )
        body = element("body", element("main", header, *sections, footer))
        return f'<!doctype html>\n<html lang="en"><head>{top}</head>{body}</html>\n'


def style() -> str:
    """The style sheet with the colours of the dark and the light palette; paper is light."""
    sheet = files("tui.report").joinpath("style.css").read_text(encoding="utf-8")
    light, dark = _variables(PALETTES["light"]), _variables(PALETTES["dark"])
    paper = _variables({**PALETTES["light"], "bg": "#ffffff", "panel": "#f4f3f0"})
    return (
        f":root{{color-scheme:light dark;{light}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{color-scheme:light;{paper}}}}}\n{sheet}"
    )


def _variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in palette.items())


def check_drawable(key: str) -> None:
    """Check that figures can be drawn; `tui.report.drawing` may be imported then.

    `key` is the option that asks for the report.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ConfigError(
            [Problem("a report needs matplotlib", key=key, hint="install it with: pip install 'schedlab[report]'")]
        )
