"""A question and its answer without a wire, and which form of it is asked for."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.serve.fields import Document


class HttpQuestion(NamedTuple):
    """A request of a client."""

    method: str
    path: str
    """Decoded, without the query."""
    query: Mapping[str, Sequence[str]] = {}
    accept: str = "*/*"
    body: bytes = b""
    content_type: str = ""


class HttpAnswer(NamedTuple):
    """The response to a request."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = {}


class DocumentAnswer(NamedTuple):
    """A document that is to be written in the form the client asks for."""

    root: str
    body: Document | Any  # Any: null
    is_bare: bool = False
    """True if JSON has no root."""
    status: int = 200
    headers: Mapping[str, str] = {}


def wanted_form(accept: str) -> str:
    """`json` or `xml`, whichever is wanted more, JSON among equals; empty when neither is.

    >>> wanted_form("*/*"), wanted_form("text/html,application/xml;q=0.9,*/*;q=0.8"), wanted_form("text/csv")
    ('json', 'xml', '')
    """
    wishes = {name: weight for each in accept.split(",") if each.strip() for name, weight in [_wish(each)]}
    if not wishes:
        return "json"
    best = ("", 0.0)
    for form in ("json", "xml"):
        names = (f"application/{form}", "application/*", "*/*")
        weight = next((wishes[name] for name in names if name in wishes), 0.0)
        if weight > best[1]:
            best = (form, weight)
    return best[0]


def _wish(text: str) -> tuple[str, float]:
    """A media type and how much it is wanted."""
    name, *parameters = (part.strip() for part in text.lower().split(";"))
    weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    try:
        return name, float(weight)
    except ValueError:
        return name, 1.0
