"""Access control lists: who may submit to a queue or administer it.

Source: AccessControlList, Hadoop 2.7.2.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.model.java_values import trim

_SEPARATOR = re.compile(r"(?<![ \t\n\x0b\f\r])[ \t\n\x0b\f\r]*,[ \t\n\x0b\f\r]*")


@lru_cache(maxsize=1024)  # a file repeats few lists many times
def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in _SEPARATOR.split(trim(text)) if name))


class AccessControlList:
    """Users and groups of an ACL text `user,user group,group`; `*` allows all, one blank nobody.

    The text is divided at its first blank; one that starts with a blank names groups only. Names keep their
    order; blanks around them do not count.
    """

    __slots__ = ("all_allowed", "groups", "users")

    def __init__(self, text: str) -> None:
        users, _, groups = text.partition(" ")
        self.all_allowed = trim(users) == "*" or trim(groups) == "*"
        self.users: tuple[str, ...] = () if self.all_allowed else _names(users)
        self.groups: tuple[str, ...] = () if self.all_allowed else _names(groups)

    def allows(self, user: str, groups: Sequence[str]) -> bool:
        """Tell whether the user, or one of the user's groups, is on the list."""
        return self.all_allowed or user in self.users or any(group in self.groups for group in groups)

    def __str__(self) -> str:
        return "*" if self.all_allowed else f"{','.join(self.users)} {','.join(self.groups)}"


EVERYBODY = AccessControlList("*")  # The default of root

NOBODY = AccessControlList(" ")  # The default of every queue below root
