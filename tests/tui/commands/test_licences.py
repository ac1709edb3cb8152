"""The licences of what is installed with the program."""

from importlib.metadata import Distribution, PackageNotFoundError
from typing import Any

import pytest

from tui.commands import licences
from tui.commands.licences import licence_lines

PACKAGES: dict[str, dict[str, Any]] = {
    "schedlab": {
        "needs": ['Typed_Er>=1; python_version > "3"', 'web.kit[std]>=2; extra == "web"', 'linter; extra == "dev"',
                  "gone>=1", 'docs-tool; extra == "docs"', 'tests; extra == "test"'],
        "license_expression": "Apache-2.0",
    },
    "typed-er": {"needs": ["small", 'fast; extra == "speed"'], "license": "MIT\nand much more"},
    "web-kit": {"needs": ["schedlab"], "license": "x" * 61,
                "classifier": ["Topic :: Any", "License :: OSI Approved :: BSD License",
                               "License :: OSI Approved :: MIT License"]},
    "small": {"needs": None, "license": "   "},
}  # fmt: skip


class Installed(Distribution):
    """A package as its metadata says."""

    def __init__(self, name: str) -> None:
        if name not in PACKAGES:
            raise PackageNotFoundError(name)
        self._said = PACKAGES[name]

    version = "1.2"

    @property
    def requires(self) -> list[str] | None:
        """What it needs."""
        found: list[str] | None = self._said["needs"]
        return found

    @property
    def metadata(self) -> Any:
        """What it says, as JSON."""
        return type("Said", (), {"json": self._said})

    def read_text(self, filename: str) -> str | None:
        """No file."""

    def locate_file(self, path: Any) -> Any:
        """No file."""


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those packages and no other."""
    monkeypatch.setattr(licences, "distribution", Installed)


def test_every_package_is_listed_once_by_name() -> None:
    """Those it needs, and what those need; neither what is missing, nor tools, nor extras of others."""
    assert licence_lines() == [
        f"{'schedlab':24} {'1.2':14} Apache-2.0",
        f"{'small':24} {'1.2':14} not said",
        f"{'typed-er':24} {'1.2':14} MIT",
        f"{'web-kit':24} {'1.2':14} BSD License, MIT License",
    ]


@pytest.mark.parametrize(("length", "licence"), [(60, "x" * 60), (61, "not said")])
def test_a_licence_is_a_short_line(length: int, licence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole text is none."""
    monkeypatch.setitem(PACKAGES, "small", {"needs": [], "license": "x" * length, "classifier": []})

    assert licence_lines()[1] == f"{'small':24} {'1.2':14} {licence}"
