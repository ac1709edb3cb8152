"""Small valid documents that attacks begin with, and values that belong nowhere."""

from pathlib import Path
from typing import Any, Final

DOCUMENTS: Final = Path(__file__).parents[2] / "cases" / "attacks"


def _document(name: str) -> str:
    return (DOCUMENTS / name).read_text(encoding="utf-8")


YARN: Final = _document("yarn.toml")
SPARK: Final = _document("spark.toml")
CAPACITY: Final = _document("capacity.toml")
ALLOCATIONS: Final = _document("allocations.xml")
SITE: Final = _document("site.xml")
CAPACITY_SITE: Final = _document("capacity-site.xml")
TOPOLOGY: Final = "# racks\nn1 /a\nn2 /b\n10.0.0.1 /c/d\n"

BIG: Final = 10**30

VALUES: Final[tuple[Any, ...]] = (
    0, -1, 1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), BIG, 1.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"),
    True, False, "", " ", "0", "-1", "x", "root", "root.a.b.c", "*", "\0", "\x1b[31m", "\u202e", "\ud7ff", "é" * 100,
    "a" * 5_000, "9" * 5_000, "64g", "1e400t", "99999999999999999999g", "09:00", "25:99", "-5s", "+30m", "100000d",
    "9999-12-31T23:59:59Z", "0001-01-01 00:00", "²", "٣", "NaN", "Infinity", "${a}", "<x>", "&amp;", "1 mb, 1 vcores",
    "memory=1024,vcores=1", "[memory=50%,vcores=50%]", "-0.0001", "100.00001", "3w", "STOPPED", "u:u:a", "g:%user:%p",
    [], {}, [1], [{}], [[[]]], {"a": 1}, {"": ""}, {"a": {"b": {"c": {}}}}, ["a"] * 50, None, "forever", "unmanaged",
)  # fmt: skip
"""Values of every type, at and beyond every edge; None leaves the key out."""
