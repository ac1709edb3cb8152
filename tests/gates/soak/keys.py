"""What a hand may do next: keys of the registry, words after `/` and `:`, the mouse, another size."""

from random import Random
from typing import Final

from tui.actions import ACTIONS
from tui.keymap import spelled

_SEQUENCES: Final = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "space": " ",
    "ctrl+p": "\x10",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
}
"""Name of a key → what a terminal sends."""

SIZES: Final = ((80, 24), (120, 40), (200, 60), (40, 10), (20, 5), (109, 33), (110, 34), (169, 50), (300, 80))

_WORDS: Final = (
    "user:ann",
    "state:pend wait>5m",
    "-node1",
    "(",
    "free<4g",
    "speed 600",
    "speed max",
    "goto +10m",
    "goto 09:30",
    "goto nowhere",
    "apps user:bob",
    "nodes free>1g",
    "sort memory",
    "kill 3",
    "kill 4 5 6",
    "move 7 8 dev",
    "submit n=3 mem=1g for=1m",
    "submit preset=last",
    "submit n=-1 mem=x queue=",
    "set queue.root.dev.weight 3",
    "drain n0001",
    "theme light",
    "theme dark",
    "why 2",
    "why 7",
    "why dev",
    "why n0003",
    "x" * 300,
    "é漢字\u200d",
)
"""What somebody may type into a line."""

_LEAVING: Final = {"quit"}


def _keys() -> list[bytes]:
    """Every key of the registry that this terminal can send, but for those that leave the program."""
    found = []
    for action in ACTIONS:
        for key in () if action.id in _LEAVING else action.keys:
            typed = _SEQUENCES.get(key) or spelled(key)
            if key in _SEQUENCES or len(typed) == 1:
                found.append(typed.encode())
    return found


KEYS: Final = tuple(_keys())


def keystroke(draw: Random, size: tuple[int, int]) -> bytes:
    kind = draw.random()
    if kind < 0.62:
        return draw.choice(KEYS)
    if kind < 0.78:
        return draw.choice((b"\x1b[A", b"\x1b[B", b"\r", b"\x1b", b"\x1b", b"\t", b"y", b"n"))
    if kind < 0.86:
        return _click(draw, size)
    if kind < 0.93:
        return draw.choice((b"/", b":")) + draw.choice(_WORDS).encode() + draw.choice((b"\r", b"\t", b"\x1b", b""))
    return bytes(draw.randrange(0x61, 0x7B) if one else draw.randrange(0x41, 0x5B) for one in draw.choices((0, 1), k=3))


def _click(draw: Random, size: tuple[int, int]) -> bytes:
    """A click with either button or ctrl, or a turn of the wheel, anywhere."""
    button = draw.choice((0, 0, 0, 2, 16, 64, 65))
    place = f"{draw.randrange(size[0]) + 1};{draw.randrange(size[1]) + 1}"
    release = f"\x1b[<{button};{place}m" if button < 64 else ""
    return f"\x1b[<{button};{place}M{release}".encode()
