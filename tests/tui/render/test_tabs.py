"""What the tabs say at a width."""

import pytest

from tui.render.tabs import titles

FULL = {"applications": "1 Applications", "queues": "2 Queues", "containers": "3 Containers"}


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (80, [" 1 Applications ", " 2 Queues ", " 3 Containers "]),
        (41, [" 1 Applications ", " 2 Queues ", " 3 Containers "]),
        (40, [" 1 Apps ", " 2 Queues ", " 3 Cont "]),
        (26, [" 1 ", " 2 Queues ", " 3 "]),
        (1, [" 1 ", " 2 Queues ", " 3 "]),
    ],
)
def test_titles_become_shorter_with_the_width(width: int, said: list[str]) -> None:
    """In full, then shorter, then only that of the active pane beside the digits."""
    assert list(titles(FULL, "queues", width).values()) == said
