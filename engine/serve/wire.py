"""How a document is written in either release, what clients send, and how a server refuses.

Bodies are JSON or XML. What cannot be read, is nested too deeply or has characters that no XML may have is refused.

Source: GenericExceptionHandler, ResourceInfo, recorded answers of 2.7.2 and 3.4.1.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape, quoteattr

import msgspec
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from engine.errors import EngineError
from engine.model.java_values import float32
from engine.model.request import MEMORY_MB, Resource
from engine.observe.documents import Document

# The two releases of Hadoop whose answers are given, as far as they differ in every answer.


class HadoopRelease(NamedTuple):
    version: str
    build: str  # Revision, builder and checksum of the ResourceManager
    common_checksum: str
    built_on: str
    common_built_on: str
    elector: str  # Words on the ZooKeeper elector where there is no pair of ResourceManagers
    json_type: str
    xml_type: str
    mistake_status: int  # Status of an answer to what the server does not expect

    @property
    def is_34(self) -> bool:
        return self is RELEASE_34


RELEASE_27: Final = HadoopRelease(
    version="2.7.2",
    build="2.7.2 from 5d8c8cd568ae54c1be366e786c738b63bd53e271 by vinodkv source checksum "
    "c63f7cc71b8f63249e35126f0f7492d",
    common_checksum="d0fda26633fa762bff87ec759ebe689c",
    built_on="2016-01-14T23:14Z",
    common_built_on="2016-01-14T21:32Z",
    elector="ResourceManager HA is not enabled.",
    json_type="application/json",
    xml_type="application/xml",
    mistake_status=500,
)

RELEASE_34: Final = HadoopRelease(
    version="3.4.1",
    build="3.4.1 from 4d7825309348956336b8f06a08322b78422849b1 by mthakur source checksum "
    "934da0c5743762b7851cfcff9f8ca2",
    common_checksum="7292fe9dba5e2e44e3a9f763fce3e680",
    built_on="2024-10-09T15:14Z",
    common_built_on="2024-10-09T14:57Z",
    elector="Could not find leader elector. Verify both HA and automatic failover are enabled.",
    json_type="application/json;charset=utf-8",
    xml_type="application/xml; charset=utf-8",
    mistake_status=503,
)

RELEASES: Final = {"2.7": RELEASE_27, "3.4": RELEASE_34}  # Name in an option → release


def release_of(scheduler: str) -> HadoopRelease:
    """The release that has a scheduler of `schedulers.registry`.

    >>> release_of("fair-2.7").version, release_of("fifo").version, release_of("capacity-3.4").version
    ('2.7.2', '2.7.2', '3.4.1')
    """
    return RELEASE_34 if scheduler.endswith("-3.4") else RELEASE_27


# A resource as a table of its fields, in the order servers write them; a document is what such a table says.
#
# A document is made of dicts, lists, texts, numbers and booleans; `bodies` writes it. What is written differently in
# the two forms has signs of its own: `TYPE`, `Repeated`, and an empty dict.

Thing = TypeVar("Thing")

TYPE: Final = "@type"  # The name of what is a field `type` in JSON and an attribute `xsi:type` in XML
_DIGITS: Final = 9  # So many digits tell any two float32 apart


class Repeated(NamedTuple):
    """Several things under one name. The real JSON writer repeats the name, so that readers keep the last one only."""

    items: Sequence[Any]  # Any: parts of a document


def entries(pairs: Sequence[tuple[str, str]]) -> Document:
    return {"entry": Repeated([{"key": key, "value": value} for key, value in pairs])} if pairs else {}


class Field(NamedTuple, Generic[Thing]):
    name: str
    read: Callable[[Thing], Any]  # Any: a part of a document; None leaves the field out
    since_34: bool = False  # True if 2.7.2 has no such field


Table = Sequence[Field[Thing]]


def written(table: Table[Thing], thing: Thing, release: HadoopRelease) -> Document:
    return {
        each.name: value
        for each in table
        if (release.is_34 or not each.since_34) and (value := each.read(thing)) is not None
    }


def constant(value: object) -> Callable[[object], Any]:
    return lambda thing: value


def single(value: float) -> float:
    """A number as Java writes it as a float: the shortest that is the same float32.

    >>> single(1 / 3), single(99.14216), single(100)
    (0.33333334, 99.14216, 100.0)
    """
    exact = float32(value)
    for digits in range(1, _DIGITS):
        short = float(f"{exact:.{digits}g}")
        if float32(short) == exact:
            return short
    return float(f"{exact:.{_DIGITS}g}")


LONG_MAX: Final = 2**63 - 1
ANY_SIZE: Final = (Resource(0, 0), Resource(LONG_MAX, LONG_MAX))
"""(smallest, largest) container where no setting says one."""


def amount(
    release: HadoopRelease, memory_mb: int, vcores: int, sizes: tuple[Resource, Resource] = ANY_SIZE
) -> Document:
    """An amount; 3.4.1 also lists it by type, with the smallest and the largest container."""
    plain = {"memory": memory_mb, "vCores": vcores}
    if not release.is_34:
        return plain
    smallest, largest = sizes
    return {
        **plain,
        "resourceInformations": {
            "resourceInformation": [
                _one(MEMORY_MB, "Mi", memory_mb, smallest.memory_mb, largest.memory_mb),
                _one("vcores", "", vcores, smallest.vcores, largest.vcores),
            ]
        },
    }


def _one(name: str, units: str, value: int, smallest: int, largest: int) -> Document:
    return {
        "attributes": {},
        "maximumAllocation": largest,
        "minimumAllocation": smallest,
        "name": name,
        "resourceType": "COUNTABLE",
        "units": units,
        "value": value,
    }


_WEBAPP: Final = "org.apache.hadoop.yarn.webapp."


class Refused(NamedTuple):
    exception: str  # Class of the exception, with its package
    message: str | None
    status: int | None = None  # None: a mistake of the server, whose status the release decides


class RestError(EngineError):
    def __init__(self, in_27: Refused, in_34: Refused | None = None) -> None:
        """Refuse in the words of 2.7.2, and in those of 3.4.1 where they are others."""
        super().__init__(in_27.message or in_27.exception)
        self._in_27, self._in_34 = in_27, in_34 or in_27

    def refused(self, release: HadoopRelease) -> Refused:
        return self._in_34 if release.is_34 else self._in_27

    def status(self, release: HadoopRelease) -> int:
        return self.refused(release).status or release.mistake_status

    def body(self, release: HadoopRelease) -> Document:
        said = self.refused(release)
        name = said.exception.rpartition(".")[2]
        message = {} if said.message is None else {"message": said.message}
        return {"exception": name, **message, "javaClassName": said.exception}


def bad_request(message: str) -> RestError:
    """400, refused by the web application itself."""
    return RestError(_bad(f"java.lang.Exception: {message}"))


def not_found(message: str) -> RestError:
    return RestError(Refused(_WEBAPP + "NotFoundException", f"java.lang.Exception: {message}", 404))


def illegal_argument(message: str) -> RestError:
    """400, of a value that Java itself does not take."""
    return RestError(Refused("java.lang.IllegalArgumentException", message, 400))


def not_a_number(text: str) -> RestError:
    """400: a text where Java wants a number."""
    return RestError(_unparsed(text))


def _unparsed(text: str) -> Refused:
    return Refused("java.lang.NumberFormatException", f'For input string: "{text}"', 400)


def bad_number(text: str, name: str) -> RestError:
    """400: a text where a parameter is to have a number."""
    return RestError(_unparsed(text), _bad(f"java.lang.Exception: {name} value must be a number!"))


def invalid_id(words: str) -> RestError:
    return RestError(_bad(f"java.lang.IllegalArgumentException: {words}"))


def null_pointer() -> RestError:
    return RestError(Refused("java.lang.NullPointerException", None))


def mistake() -> RestError:
    return RestError(Refused("javax.ws.rs.WebApplicationException", None))


def unreadable() -> RestError:
    """A body that is no JSON and no XML; 2.7.2 takes it for an empty one."""
    words = "javax.xml.bind.UnmarshalException\n - with linked exception:\n[javax.xml.stream.XMLStreamException]"
    return RestError(
        _bad("java.lang.Exception: Only 'KILLED' is allowed as a target state."),
        Refused("javax.ws.rs.WebApplicationException", words, 400),
    )


def undeclared() -> RestError:
    """Translate a refusal inside the ResourceManager, such as of an unknown queue."""
    return RestError(Refused("java.lang.reflect.UndeclaredThrowableException", None))


def _bad(message: str) -> Refused:
    return Refused(_WEBAPP + "BadRequestException", message, 400)


# A question and its answer without a wire, and which form of it is asked for.


class HttpQuestion(NamedTuple):
    method: str
    path: str  # Decoded, without the query
    query: Mapping[str, Sequence[str]] = {}
    accept: str = "*/*"
    body: bytes = b""
    content_type: str = ""


class HttpAnswer(NamedTuple):
    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = {}


class DocumentAnswer(NamedTuple):
    """A document that is to be written in the form the client asks for."""

    root: str
    body: Document | Any  # Any: null
    is_bare: bool = False  # True if JSON has no root
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
    page = _PAGE.format(title="Sorry, got error 404", text="Please consult RFC 2616 for meanings of the error code.")
    return HttpAnswer(404, _html(release), page.encode())


def front_page(release: HadoopRelease) -> HttpAnswer:
    text = "A simulation, served by schedlab: <a href='/ws/v1/cluster/info'>/ws/v1/cluster/info</a>"
    return HttpAnswer(200, _html(release), _PAGE.format(title="All Applications", text=text).encode())


def to_front_page(release: HadoopRelease, address: str) -> HttpAnswer:
    kind = "text/plain;charset=utf-8" if release.is_34 else "text/plain; charset=UTF-8"
    return HttpAnswer(302, kind, b"", {"Location": f"http://{address}/cluster"})


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
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    fields = [("type" if name == TYPE else name, each) for name, each in value.items()]
    if not any(isinstance(each, Repeated) for _, each in fields):
        return {name: _plain(each) for name, each in fields}
    parts = [
        msgspec.json.encode(name) + b":" + msgspec.json.encode(_plain(item))
        for name, each in fields
        for item in (each.items if isinstance(each, Repeated) else (each,))
    ]
    return msgspec.Raw(b"{" + b",".join(parts) + b"}")
