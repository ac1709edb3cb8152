"""A question and its answer without a wire, and which form of it is asked for.

Source: recorded answers of 2.7.2 and 3.4.1, shortened.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.serve.fields import Document
from engine.serve.release import HadoopRelease


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


_PAGE: Final = """<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html>
  <meta http-equiv="X-UA-Compatible" content="IE=8">
  <meta http-equiv="Content-type" content="text/html; charset=UTF-8">
  <title>
    {title}
  </title>
  <body>
    <h1>
      {title}
    </h1>
    {text}
  </body>
</html>
"""


def _html(release: HadoopRelease) -> str:
    return "text/html;charset=utf-8" if release.is_34 else "text/html; charset=utf-8"


def page_not_found(release: HadoopRelease) -> HttpAnswer:
    """404 for a person, which clients get, too."""
    page = _PAGE.format(title="Sorry, got error 404", text="Please consult RFC 2616 for meanings of the error code.")
    return HttpAnswer(404, _html(release), page.encode())


def front_page(release: HadoopRelease) -> HttpAnswer:
    """`/cluster`: says where the answers are."""
    text = "A simulation, served by schedlab: <a href='/ws/v1/cluster/info'>/ws/v1/cluster/info</a>"
    return HttpAnswer(200, _html(release), _PAGE.format(title="All Applications", text=text).encode())


def to_front_page(release: HadoopRelease, address: str) -> HttpAnswer:
    """`/` sends a browser on."""
    kind = "text/plain;charset=utf-8" if release.is_34 else "text/plain; charset=UTF-8"
    return HttpAnswer(302, kind, b"", {"Location": f"http://{address}/cluster"})
