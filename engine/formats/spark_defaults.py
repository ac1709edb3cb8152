"""What is wrong in a spark-defaults.conf: keys of a Master that are misspelt, given twice, or that Spark refuses.

Source: Utils#getPropertiesFromFile, which reads Java's format of properties; ConfigBuilder#checkValue, Spark 4.0.1.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine.errors import Problem, nearest
from engine.formats.regular_files import read_file_text
from engine.settings.known import misspelt
from engine.settings.spark import SPARK

NAME: Final = "spark-defaults.conf"
_LINE: Final = re.compile(r"[ \t\f]*([^#!\s:=][^\s:=]*)[ \t\f]*[:=]?[ \t\f]*(.*)")
_OF_A_MASTER: Final = ("spark.deploy.", "spark.worker.", "spark.dead.worker.")


def spark_problems(path: Path) -> Iterator[tuple[Problem, bool]]:
    """Each problem, and whether Spark refuses the value. Raises ConfigError if the file cannot be read."""
    seen: dict[str, int] = {}
    for line, text in enumerate(read_file_text(path).splitlines(), 1):
        found = _LINE.fullmatch(text)
        if found is None:
            continue
        key, value = found.group(1), found.group(2).strip()
        if key in seen:
            yield Problem(f"given again; line {seen[key]} has no effect", str(path), line, key), False
        seen[key] = line
        if key in SPARK.whole:
            entry = SPARK.whole[key]
            try:
                _ = entry.kind.read(value, SPARK.default(entry.key))
            except ValueError:
                yield Problem(f"{value!r} is not {entry.kind.words}", str(path), line, key), True
        elif hint := misspelt(key) or (nearest(key, SPARK.whole) if key.startswith(_OF_A_MASTER) else ""):
            yield Problem("unknown key: Spark ignores it", str(path), line, key, hint), False
