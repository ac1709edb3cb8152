"""Releases of Hadoop between those whose schedulers are played, 2.7 and 3.4, and what differs there.

Source: the classes of 3.3.6 asked the same as those of 3.4.1; YARN-11073.
"""

import re
from collections.abc import Mapping
from typing import Final

_RELEASE: Final = re.compile(r"(\d{1,3})\.(\d{1,3})")

NOTHING: Final = "no difference is known"

BEFORE_34: Final[Mapping[str, tuple[str, ...]]] = {
    "fair": (
        "the queue root.default is always there, so that steady shares are split over one queue more",
        "placement by secondary groups leaves out a user's first group",
    ),
    "capacity": (
        "capacities in weights (2w) and new queues of two levels are refused",
        "a queue that is full at its own maximum leaves more headroom to others",
        "a mapping to a queue that is not there fails the submission",
        "preemption may take from a queue of small capacity without need (YARN-11073)",
    ),
}
"""Family of a scheduler → what differs from 3.4 in 3.0 to 3.3."""


def differences(family: str, version: str) -> str:
    """Tell as which release a release is played, and what differs; empty where it is one of those that are played.

    >>> differences("fair", "2.7.2"), differences("fifo", "3.3.6")
    ('', '3.3.6 is played as 3.4; no difference is known')
    """
    release = _RELEASE.match(version)
    if release is None or (int(release[1]), int(release[2])) <= (2, 7) or (int(release[1]), int(release[2])) >= (3, 4):
        return ""
    if release[1] != "3":
        return f"{version} is played as 2.7: what differs was not looked at"
    known = BEFORE_34.get(family, ())
    return f"{version} is played as 3.4{f', though in {version} ' if known else '; '}{'; '.join(known) or NOTHING}"
