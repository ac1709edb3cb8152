"""Which methods of a session can be called from another process, of which types, and who may call which."""

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec

from tui import session_codec
from tui.session_protocol import ActsProtocol, ClockProtocol, PicturesProtocol, SeatProtocol
from tui.sharing.wire import INSTRUCTOR, READER, WireError

PROTOCOLS: Final[Mapping[str, type]] = {
    "pictures": PicturesProtocol,
    "clock": ClockProtocol,
    "acts": ActsProtocol,
    "seat": SeatProtocol,
}
"""Part → its protocol."""


def _methods(protocol: type) -> frozenset[str]:
    return frozenset(name for name, _ in inspect.getmembers(protocol, inspect.isfunction) if name[0] != "_")


_LOOKING: Final = frozenset({"picture", "definition", "plans"})

MAY_CALL: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    READER: {"pictures": _LOOKING},
    INSTRUCTOR: {
        "pictures": _LOOKING,
        "clock": frozenset({"change_speed", "set_speed"}),
        "acts": _methods(ActsProtocol),
        "seat": _methods(SeatProtocol),
    },
}
"""Role → part → the methods it may call."""


class MethodTypes(NamedTuple):
    """The call of a method as it crosses a process boundary."""

    arguments: Mapping[str, Any]
    """Name → type, in order."""
    answer: Any
    """The type of the answer."""

    def bound(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> dict[str, msgspec.Raw]:
        """The arguments of a call, written."""
        named = {**dict(zip(self.arguments, args, strict=False)), **options}
        return {name: msgspec.Raw(session_codec.encode(value)) for name, value in named.items()}

    def read(self, written: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        """The arguments of a call.

        Raises:
            WireError: They are not those of the method.
        """
        if written.keys() != self.arguments.keys():
            raise WireError(f"it takes {', '.join(self.arguments) or 'nothing'}")
        try:
            return {name: session_codec.decode(bytes(written[name]), kind) for name, kind in self.arguments.items()}
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise WireError("an argument is of another type") from None

    def read_answer(self, written: msgspec.Raw) -> Any:
        """The answer of a call.

        Raises:
            WireError: It is of another type.
        """
        try:
            return session_codec.decode(bytes(written), self.answer)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise WireError("The answer is of another type.") from None


@cache
def types_of(part: str, method: str) -> MethodTypes:
    """The types of a method of a protocol."""
    hints = get_type_hints(getattr(PROTOCOLS[part], method))
    answer = hints.pop("return")
    return MethodTypes(hints, answer)


def may_call(role: str, part: str, method: str) -> bool:
    """True if somebody in this role may call a method."""
    return method in MAY_CALL[role].get(part, frozenset())
