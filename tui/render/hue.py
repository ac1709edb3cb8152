"""The hue of a queue: top-level queues have one each, and a queue below has its parent's.

Spark's Master has no queues; there the hue is the application's.
"""

from collections.abc import Callable, Iterable

from tui.palettes import HUES
from tui.render.line import Look

OTHERS = HUES[-1]  # The hue of the root, and of top-level queues beyond the fifth
_ROOT = "root"  # The pools of a JobTracker have no root
_IMPLICIT = "default"  # A queue that is there without being configured; it takes a hue after the others


class HueTable(dict[str, str]):
    """Top-level queue → the token of its hue; it reads which queues there are when it is asked for one it lacks.

    Hues go to queues in their order, and once given stay: a queue that comes later takes the next one.

    >>> table = HueTable(lambda: ["root", "root.adhoc", "root.default", "root.etl", "root.etl.daily"])
    >>> table["root.etl"], table["root.default"], table["root.none"]
    ('q2', 'q3', 'q6')
    """

    def __init__(self, paths: Callable[[], Iterable[str]]) -> None:
        """`paths` tells the paths of all queues, in order."""
        super().__init__()
        self._paths = paths

    def __missing__(self, top: str) -> str:
        tops = [path for path in self._paths() if path.count(".") <= 1 and path != _ROOT and path not in self]
        for path in (*sorted(tops, key=lambda path: path.rpartition(".")[2] == _IMPLICIT), top):
            if path not in self:
                self[path] = HUES[min(len(self), len(HUES) - 1)] if path in tops else OTHERS
        return self[top]


def hue_of(path: str, look: Look) -> str:
    """The hue of a queue.

    >>> look = Look(0, (), (), hues={"root.etl": "q2"})
    >>> hue_of("root.etl.daily", look), hue_of("root.etl", look), hue_of("root", look)
    ('q2', 'q2', 'q6')
    """
    if path in ("", _ROOT):
        return OTHERS
    try:
        return look.hues[".".join(path.split(".", 2)[:2])]
    except KeyError:
        return OTHERS


def hue_of_number(number: int) -> str:
    """The hue of one of Spark's applications, by its number from 1 on; the sixth has that of the first.

    >>> hue_of_number(1), hue_of_number(5), hue_of_number(6)
    ('q1', 'q5', 'q1')
    """
    return HUES[(number - 1) % (len(HUES) - 1)]
