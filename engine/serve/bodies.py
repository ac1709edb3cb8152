"""Reads what clients send: bodies as JSON or XML, texts and whole numbers.

What cannot be read, is nested too deeply or has characters that no XML may have is refused; nothing else is raised.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape, quoteattr

import msgspec
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from engine.serve.wire import (
    LONG_MAX,
    TYPE,
    Document,
    HadoopRelease,
    HttpQuestion,
    Repeated,
    bad_request,
    mistake,
    unreadable,
)

Body = Mapping[str, Any]  # Any: JSON

_NUMBER: Final = re.compile(r"[+-]?\d{1,400}")
_ODD: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 does not allow: most control characters, and halves of surrogate pairs."""


def without_odd(text: str) -> str:
    r"""A text that JSON and XML can say: U+FFFD in place of a character that XML does not allow.

    >>> without_odd("a\x00b\ud800")
    'a�b�'
    """
    return _ODD.sub("\ufffd", text)


INT_MAX: Final = 2**31 - 1  # Also the largest number of an application: ApplicationIdProto has an int32


def java_number(text: str, most: int = LONG_MAX) -> int | None:
    """A number from -`most` - 1 to `most`; None of any other text.

    Source: Long#parseLong, Integer#parseInt: a sign, then digits of any script.
    """
    value = int(text) if _NUMBER.fullmatch(text) else None
    return value if value is not None and -most - 1 <= value <= most else None


def body_of(question: HttpQuestion) -> Body:
    """The fields of a body, as JSON or XML. Raises RestError if it cannot be read."""
    try:
        if "xml" in question.content_type:
            found = _of_element(fromstring(question.body))
        else:
            found = json.loads(question.body or b"{}")
    except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError):
        raise unreadable() from None
    if not isinstance(found, dict):
        raise mistake()
    return checked(found)


def checked(body: Body) -> Body:
    """The body, whose texts are all readable. Raises RestError if one is not."""
    left: list[Any] = [body]
    while left:
        value = left.pop()
        if isinstance(value, str) and _ODD.search(value):
            raise bad_request("a text has a character that no XML may have")
        if isinstance(value, dict):
            left += [*value, *value.values()]
        elif isinstance(value, list):
            left += value
    return body


def _of_element(element: Element) -> Body:
    """An element's children by name: texts, or fields of their own; those that are empty say nothing."""
    children = ((child.tag, _of_element(child) if len(child) else (child.text or "").strip()) for child in element)
    return {tag: value for tag, value in children if value}


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
    elif value is None:
        return
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


def json_bytes(root: str, body: Any, release: HadoopRelease) -> bytes:  # Any: a part of a document
    """A document as JSON; U+FFFD stands where a text cannot be encoded, so that one text spoils no list.

    `root` is its name, empty where JSON has none; a `body` of nothing at all is null in 2.7.2.
    """
    try:
        return _encoded(root, body, release)
    except UnicodeEncodeError:
        return _encoded(root, _encodable(body), release)


def _encoded(root: str, body: Any, release: HadoopRelease) -> bytes:
    content = _plain(body)
    if root:
        content = {root: content if content or release.is_34 else None}
    return msgspec.json.encode(content)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return without_odd(value)
    if isinstance(value, Repeated):
        return Repeated([_encodable(each) for each in value.items])
    if isinstance(value, dict):
        return {without_odd(name): _encodable(each) for name, each in value.items()}
    return [_encodable(each) for each in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return _plain_fields(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _plain_fields(value: Document) -> Any:
    fields = [("type" if name == TYPE else name, each) for name, each in value.items()]
    if not any(isinstance(each, Repeated) for _, each in fields):
        return {name: _plain(each) for name, each in fields}
    parts = [
        msgspec.json.encode(name) + b":" + msgspec.json.encode(_plain(item))
        for name, each in fields
        for item in (each.items if isinstance(each, Repeated) else (each,))
    ]
    return msgspec.Raw(b"{" + b",".join(parts) + b"}")
