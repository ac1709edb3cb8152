"""The hue of a queue: top-level queues have one each, and a queue below has its parent's.

Spark's Master has no queues; there the hue is the application's.
"""

from collections.abc import Iterable, Mapping

from tui.palettes import HUES
from tui.render.line import Look

OTHERS = HUES[-1]
"""The hue of the root, and of top-level queues beyond the fifth."""
_IMPLICIT = "default"
"""A queue that is there without being configured; it takes a hue after the others."""


def hues(paths: Iterable[str]) -> Mapping[str, str]:
    """The hue of each top-level queue among some paths, in their order.

    >>> hues(["root", "root.adhoc", "root.default", "root.etl", "root.etl.daily"])
    {'root.adhoc': 'q1', 'root.etl': 'q2', 'root.default': 'q3'}
    """
    tops = [path for path in paths if path.count(".") == 1]
    tops.sort(key=lambda path: path.endswith(f".{_IMPLICIT}"))
    return dict(zip(tops, HUES[:-1], strict=False))


def hue_of(path: str, look: Look) -> str:
    """The hue of a queue.

    >>> look = Look(0, (), (), hues={"root.etl": "q2"})
    >>> hue_of("root.etl.daily", look), hue_of("root.etl", look), hue_of("root", look)
    ('q2', 'q2', 'q6')
    """
    return look.hues.get(".".join(path.split(".", 2)[:2]), OTHERS)


def hue_of_number(number: int) -> str:
    """The hue of one of Spark's applications, by its number from 1 on; the sixth has that of the first.

    >>> hue_of_number(1), hue_of_number(5), hue_of_number(6)
    ('q1', 'q5', 'q1')
    """
    return HUES[(number - 1) % (len(HUES) - 1)]
