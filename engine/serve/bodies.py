"""Reads what clients send: bodies as JSON or XML, texts and whole numbers.

What cannot be read, is nested too deeply or has characters that no XML may have is refused; nothing else is raised.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from engine.serve.errors import bad_request, mistake, unreadable
from engine.serve.http import HttpQuestion

Body = Mapping[str, Any]  # Any: JSON

_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_ODD: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 does not allow: most control characters, and halves of surrogate pairs."""


def without_odd(text: str) -> str:
    r"""A text that JSON and XML can say: U+FFFD in place of a character that XML does not allow.

    >>> without_odd("a\x00b\ud800")
    'a�b�'
    """
    return _ODD.sub("\ufffd", text)


def whole_number(text: str) -> int | None:
    """A number of at most 18 digits; None of any other text."""
    return int(text) if _NUMBER.fullmatch(text) else None


def body_of(question: HttpQuestion) -> Body:
    """The fields of a body, as JSON or XML.

    Raises:
        RestError: It cannot be read.
    """
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
    """The body, whose texts are all readable.

    Raises:
        RestError: One is not.
    """
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
