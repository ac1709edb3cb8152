"""What walks found out about the users of a leaf; it holds until a user's usage or activity changes.

A user who is turned down stays so, for every application with no more reserved, until there is a new version of the
leaf's users. A user who leaves and comes back makes no new version, so one who was looked up in between stays turned
down.

Source: AbstractLeafQueue#getUserLimitCache, CachedUserLimit, Hadoop 3.4.1.
"""

from typing import NamedTuple

from engine.schedulers.capacity.space import NOTHING, Amount, fits_all
from engine.state import State


class UserVerdict(NamedTuple):
    """What is known of one user in one partition."""

    limit: Amount
    may_assign: bool = True
    reserved: Amount = NOTHING
    """What the application that was turned down had reserved."""

    def turns_down(self, reserved: Amount) -> bool:
        """Tell whether an application with this much reserved need not be asked again."""
        return not self.may_assign and fits_all(reserved, self.reserved)


class UserVerdicts(metaclass=State):
    """The verdicts of one leaf, by partition and kind of walk, then by user."""

    by_walk: dict[tuple[str, bool], dict[str, UserVerdict]] = {}
    version: int = -1
    """The version of the leaf's users that they are about."""

    def of_walk(self, label: str, respects: bool, version: int) -> dict[str, UserVerdict]:
        """Verdicts of a partition and kind of walk; those of another version are forgotten."""
        if version != self.version:
            self.version = version
            self.by_walk.clear()
        verdicts = self.by_walk.get((label, respects))
        if verdicts is None:
            verdicts = self.by_walk[label, respects] = {}
        return verdicts

    def peek(self, label: str, respects: bool, version: int, user: str) -> UserVerdict | None:
        """The verdict on a user; changes nothing."""
        return self.by_walk.get((label, respects), {}).get(user) if version == self.version else None
