"""Tables as CSV, quoted as RFC 4180 has it, in which no cell is a formula.

A spreadsheet runs a text that begins with `=` or its like. Such a text gets an apostrophe, which spreadsheets take for
"this is text", and is quoted.
"""

from collections.abc import Iterable
from typing import Final

FORMULA_BEGINS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_line(cells: Iterable[object]) -> str:
    r"""One line with its end; None is an empty cell, truth is written `true` and `false`.

    >>> csv_line(["a", None, True, -5, "-5", "b,c"])
    'a,,true,-5,"\'-5","b,c"\r\n'
    """
    return ",".join([_cell(cell) for cell in cells]) + "\r\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if value.startswith(FORMULA_BEGINS):
        return _quoted(f"'{value}")
    return _quoted(value) if any(sign in value for sign in ',"\r\n') else value


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
