"""The axes of a sweep: a key and its values, as a user writes them."""

from typing import Final

import msgspec

from engine.errors import ConfigError, Problem

NODES: Final = "nodes"
"""The key of an axis of node counts."""

POLICY: Final = "policy"
"""The key of an axis of policies."""

OPTION: Final = "--vary"
MOST_VALUES: Final = 10_000


class Axis(msgspec.Struct, frozen=True):
    """A key and the values it is given, as texts, in the order they were written."""

    key: str
    values: tuple[str, ...]


def axis_of(text: str) -> Axis:
    """Read `key=a,b,c` or `key=40..80/10`; the end of a range counts when a step meets it.

    >>> axis_of("nodes=40..80/20"), axis_of("yarn.scheduler.fair.preemption=true,false")
    (Axis(key='nodes', values=('40', '60', '80')), Axis(key='yarn.scheduler.fair.preemption', values=('true', 'false')))

    Raises:
        ConfigError: It is no `key=values`, has no value or one twice, or the range cannot be.
    """
    key, sign, words = text.partition("=")
    key = key.strip()
    if not sign or not key:
        raise _wrong(text, "is not key=a,b,c or key=FROM..TO/STEP")
    values = _range(text, words) if ".." in words else tuple(each.strip() for each in words.split(","))
    if not all(values) or not values:
        raise _wrong(text, "has an empty value")
    if len(set(values)) < len(values):
        raise _wrong(text, "names a value twice")
    if key == NODES and not all(each.isdecimal() and int(each) > 0 for each in values):
        raise _wrong(text, "is not a number of nodes")
    return Axis(key, values)


def _range(text: str, words: str) -> tuple[str, ...]:
    ends, _, step_text = words.partition("/")
    low_text, _, high_text = ends.partition("..")
    try:
        low, high, step = int(low_text), int(high_text), int(step_text or "1")
    except ValueError:
        raise _wrong(text, "is not FROM..TO/STEP in whole numbers") from None
    if step < 1 or high < low:
        raise _wrong(text, "is an empty range")
    if (high - low) // step >= MOST_VALUES:
        raise _wrong(text, f"has more than {MOST_VALUES} values")
    return tuple(str(value) for value in range(low, high + 1, step))


def _wrong(text: str, message: str) -> ConfigError:
    return ConfigError([Problem(message, f"{OPTION} {text}", hint=f"{OPTION} {NODES}=40..80/10")])
