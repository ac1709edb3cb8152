"""The keys at the foot of a screen."""

import pytest

from tui.panes.frame import FooterKey, footer
from tui.panes.line import flat

GROUPS = (
    (FooterKey("a", "first", "one", 2), FooterKey("b", "second", "two", 3)),
    (FooterKey("c", "third of all", "three", 2, "third"),),
    (FooterKey("esc", "back", "leave", 1),),
)
LAST = FooterKey("?", "keys", "help", 1)
WHOLE = "a first  b second  │ c third of all  │ esc back"


def _line(width: int) -> str:
    return "".join(flat(spans) for spans, _ in footer(GROUPS, LAST, width))


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (80, WHOLE),
        (57, WHOLE),
        (56, "a first  b second  │ c third  │ esc back"),
        (50, "a first  b second  │ c third  │ esc back"),
        (49, "a first  │ c third  │ esc back"),
        (40, "a first  │ c third  │ esc back"),
        (39, "a first  │ esc back"),
        (29, "a first  │ esc back"),
        (28, "esc back"),
        (4, "esc back"),
    ],
)
def test_keys_go_by_importance_and_the_last_ones_stay(width: int, expected: str) -> None:
    """Titles get shorter first; among equals the last goes; `esc` and `?` stay whatever the width."""
    assert _line(width).removesuffix("? keys").rstrip() == expected
