"""A document as XML, as both releases write it."""

from collections.abc import Iterator
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from engine.serve.bodies import without_odd
from engine.serve.fields import TYPE, Repeated

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_NAMESPACE: Final = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def xml_bytes(root: str, body: Any) -> bytes:  # Any: a part of a document
    """A document as XML; the namespace of types stands at the outermost element with a type."""
    return without_odd(_HEAD + "".join(_element(root, body, is_known=False))).encode()


def _element(name: str, value: Any, *, is_known: bool) -> Iterator[str]:
    """An element, or one for each of a list; `is_known` is whether the namespace is declared around it."""
    if isinstance(value, Repeated):
        value = value.items
    if isinstance(value, list | tuple):
        for each in value:
            yield from _element(name, each, is_known=is_known)
    elif not isinstance(value, dict):
        yield f"<{name}>{_text(value)}</{name}>"
    elif not value:
        yield f"<{name}/>"
    else:
        kind = value.get(TYPE)
        typed = "" if kind is None else ("" if is_known else _NAMESPACE) + f" xsi:type={quoteattr(kind)}"
        yield f"<{name}{typed}>"
        for each, part in value.items():
            if each != TYPE:
                yield from _element(each, part, is_known=is_known or kind is not None)
        yield f"</{name}>"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(str(value))
