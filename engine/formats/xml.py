"""XML as Hadoop's readers see it: elements with line numbers and the text nodes a Java DOM would hold.

Hadoop takes the *first child* of an element for its value. So what counts is which nodes there are: comments leave
none (the text around one is a single node), a CDATA section and a processing instruction are nodes of their own.

Entities, external references, documents above 10 MB, nesting above 200 levels and more than 100,000 elements are
refused. `Differs:` entities in a file of Hadoop and deep nesting are refused; Java expands internal entities (to a
limit) and fails on deep nesting with a StackOverflowError.

`Differs:` references out of the folder (absolute paths, `..`, links, URLs) and `xpointer` are refused; Java follows
them.
"""

import codecs
import io
import re
import xml.sax
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.handler import ContentHandler, LexicalHandler, property_lexical_handler

from defusedxml.common import EntitiesForbidden, ExternalReferenceForbidden
from defusedxml.expatreader import DefusedExpatParser

from engine.errors import ConfigError, Problem, shortened
from engine.formats.regular_files import MAX_BYTES, is_there, read_file_bytes, resolved

MAX_DEPTH = 200  # Deepest nesting read [elements]
MAX_ATTRIBUTES = 200_000  # Most attributes read, those included that a document type adds

MAX_ELEMENTS = 1_000_000
"""Most elements read; a configuration has some hundred, one of ten thousand queues some hundred thousand."""

_ENCODING = re.compile(r"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_VERSION = re.compile(r"""<\?xml\s+version\s*=\s*["']([^"'>]*)["']""")
_TEMPLATE_MARKS = ("{{", "{%", "<%", "[%")
_PYTHON_ONLY = frozenset({"idna", "punycode", "utf-7", "raw-unicode-escape", "unicode-escape", "undefined"})
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, ""),
    (codecs.BOM_UTF32_BE, ""),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
    (b"\x4c\x6f\xa7\x94", ""),
)
"""First bytes of a document and the encoding they show; empty: one that is not read."""


class Instruction:
    """A processing instruction as a child of an element: a node, but neither text nor element."""

    __slots__ = ()


class XmlDocument(NamedTuple):
    root: "Element"
    has_document_type: bool
    elements: int  # How many elements it has


class Element:
    """One element: its tag, attributes, children in order, and the file and line of its start tag."""

    __slots__ = ("attributes", "children", "file", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], file: str, line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.file = file
        self.line = line
        self.children: list[Element | str | Instruction] = []

    def elements(self) -> "list[Element]":
        return [child for child in self.children if isinstance(child, Element)]

    def text(self) -> str:
        return "".join(child for child in self.children if isinstance(child, str))


def parse_document(source: str | bytes, file: str = "") -> XmlDocument:
    """A document, which may have a `<!DOCTYPE>` without entities.

    Bytes are decoded by byte-order mark, declaration or as UTF-8. Raises ConfigError with one problem: not well-formed,
    not in its encoding, too large, too deep, or with entities.
    """
    if len(source) > MAX_BYTES:
        raise ConfigError.of(f"is larger than {MAX_BYTES >> 20} MB", file)
    # A text is decoded already, but Hadoop would decode it: an unknown encoding is still refused.
    text = decode_xml(source, file) if isinstance(source, bytes) else _known_encoding(source, file)
    if not text.strip():
        raise ConfigError.of("is empty", file, 1)
    version = _VERSION.match(text)
    if version and version.group(1) not in ("1.0", "1.1"):
        raise ConfigError.of(f"is XML {version.group(1)}; only XML 1.0 and 1.1 are read", file, 1)
    builder = _TreeBuilder(file)
    parser = DefusedExpatParser()
    parser.setContentHandler(builder)
    parser.setProperty(property_lexical_handler, builder)
    document = xml.sax.xmlreader.InputSource()
    document.setCharacterStream(io.StringIO(text))
    try:
        parser.parse(document)
    except xml.sax.SAXParseException as error:
        line = error.getLineNumber() or 0
        hint = _likely_cause(text, line) or builder.open_element()
        raise ConfigError.of(f"not well-formed XML: {error.getMessage()}", file, line, hint=hint) from None
    except EntitiesForbidden as error:
        raise ConfigError.of(f"declares the entity {error.name}; entities are not read", file) from None
    except ExternalReferenceForbidden:
        raise ConfigError.of("refers to an external document type; that is not read", file) from None
    assert builder.root is not None, "a document without an element is not well-formed"
    return XmlDocument(builder.root, builder.has_document_type, builder.count)


def decode_xml(data: bytes, file: str = "") -> str:
    """The text, without byte-order mark. Raises ConfigError if the encoding is unknown, or the bytes not in it."""
    mark, encoding = next(((start, name) for start, name in _MARKS if data.startswith(start)), (b"", "utf-8"))
    if not encoding:
        raise ConfigError.of("is in UTF-32 or EBCDIC; only encodings that extend ASCII and UTF-16 are read", file)
    declared = _ENCODING.match(data[:400].decode(encoding, "ignore").removeprefix("\ufeff"))
    if declared:
        encoding = _declared_encoding(encoding, declared.group(1), marked=bool(mark), file=file)
    body = data.removeprefix(codecs.BOM_UTF8) if mark == codecs.BOM_UTF8 else data
    try:
        return body.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise ConfigError.of(f"declares the encoding {encoding}, which is not known", file, 1) from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = body.count(b"\n", 0, start) + 1
        raise ConfigError.of(f"is not in its encoding {encoding}: byte 0x{body[start]:02x}", file, line) from None


def _declared_encoding(shown: str, declared: str, *, marked: bool, file: str) -> str:
    """The encoding to read a document in: the declared one, unless it contradicts the document's first bytes."""
    wide = declared.lower().replace("_", "-").startswith("utf-16")
    if wide != shown.startswith("utf-16"):
        what = f"starts as {shown}" if marked else "has one byte per character"
        raise ConfigError.of(f"declares the encoding {declared} but {what}", file, 1)
    if wide:
        return shown
    if declared.lower().replace("_", "-") in _PYTHON_ONLY:
        raise ConfigError.of(f"declares the encoding {declared}, which is not known", file, 1)
    return declared


class _TreeBuilder(ContentHandler, LexicalHandler):  # Text nodes join across comments but not across CDATA borders
    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file
        self.root: Element | None = None
        self.has_document_type = False
        self._open: list[Element] = []
        self._text: list[str] | None = None
        """Pieces of the text node being read; None where the next piece begins a node."""
        self.count = 0
        self._attributes = 0
        self._locator: Any = None

    def open_element(self) -> str:
        return f"<{self._open[-1].tag}> of line {self._open[-1].line} is open there" if self._open else ""

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802  # the name of the SAX interface
        self._end_text()
        line = self._locator.getLineNumber()
        if len(self._open) == MAX_DEPTH:
            raise ConfigError.of(f"elements are nested deeper than {MAX_DEPTH} levels", self._file, line)
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise ConfigError.of(f"has more than {MAX_ELEMENTS} elements", self._file, line)
        self._attributes += len(attrs)
        if self._attributes > MAX_ATTRIBUTES:
            raise ConfigError.of(f"has more than {MAX_ATTRIBUTES:,} attributes", self._file, line)
        element = Element(name, dict(attrs.items()), self._file, line)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def endElement(self, name: str) -> None:  # noqa: N802  # the name of the SAX interface
        self._end_text()
        self._open.pop()

    def characters(self, content: str) -> None:
        if self._text is None:
            self._text = []
        self._text.append(content)

    def processingInstruction(self, target: str, data: str) -> None:  # noqa: N802  # the name of the SAX interface
        self._end_text()
        if self._open:
            self._open[-1].children.append(Instruction())

    def startCDATA(self) -> None:  # noqa: N802  # the name of the SAX interface
        self._end_text()
        self._text = [""]

    def endCDATA(self) -> None:  # noqa: N802  # the name of the SAX interface
        self._end_text()

    def _end_text(self) -> None:
        if self._text is not None:
            self._open[-1].children.append("".join(self._text))
            self._text = None

    def startDTD(self, name: str, public_id: str | None, system_id: str | None) -> None:  # noqa: N802  # SAX interface
        # Without entities it says nothing Hadoop 2 looks at
        self.has_document_type = True


def _known_encoding(source: str, file: str) -> str:
    text = source.removeprefix("\ufeff")
    declared = _ENCODING.match(text)
    try:
        codecs.lookup(declared.group(1) if declared else "utf-8")
    except LookupError:
        raise ConfigError.of(
            f"declares the encoding {declared and declared.group(1)}, which is not known", file, 1
        ) from None
    return text


def _likely_cause(text: str, line: int) -> str:
    lines = text.splitlines()
    wrong = lines[line - 1] if 0 < line <= len(lines) else ""
    if any(quote in wrong for quote in "“”„‘’"):
        return "it has curly quotes; write straight ones"
    if any(mark in wrong for mark in _TEMPLATE_MARKS):
        return "it looks like a template that was not rendered"
    if wrong.startswith("<?xml") and "?>" not in wrong:
        return "the declaration ends with ?>"
    if wrong.startswith(("---", "+++", "diff ")):
        return "it looks like a patch"
    return ""


_LONGEST = 40


def stray_text(root: Element, containers: Set[str]) -> Iterator[Problem]:
    """A warning for every text directly inside an element that holds only elements."""
    for index, child in enumerate(root.children):
        if isinstance(child, Element):
            yield from stray_text(child, containers)
        elif isinstance(child, str) and child.strip() and root.tag in containers:
            text = shortened(" ".join(child.split()), _LONGEST)
            line = _line_of(root, index, child)
            yield Problem(f"the text {text!r} is ignored", root.file, line, root.tag, "a comment is <!-- ... -->")


def _line_of(parent: Element, index: int, text: str) -> int:
    """Finds the line of a text's first word: counted back from the next element, else on from what stands before."""
    start = len(text) - len(text.lstrip())
    after = next((child for child in parent.children[index + 1 :] if isinstance(child, Element)), None)
    if after is not None:
        return after.line - text.count("\n", start)
    before = next((child for child in reversed(parent.children[:index]) if isinstance(child, Element)), None)
    return (before or parent).line + text.count("\n", 0, start)


# XInclude inside one folder, as Hadoop's configuration files use it.
#
# `<xi:include href="other.xml"/>` is replaced by the other document's root element, `parse="text"` by its text, and
# where the other document cannot be read by the content of `<xi:fallback>`.

NAMESPACE = "http://www.w3.org/2001/XInclude"
MAX_INCLUDES = 100
"""Most documents that may be included, so that documents which include each other twice cannot explode."""

_Node = Element | str | Instruction
_Scope = dict[str, str]


class Includer:
    """Parses a file and puts what it includes in its place."""

    __slots__ = ("_count", "_elements", "_folder", "_open")

    def __init__(self, folder: Path | None) -> None:
        """Args: folder: Where included files must lie; None refuses every include."""
        self._folder = None if folder is None else resolved(folder)
        self._open: list[Path] = []
        self._count = 0
        self._elements = 0

    def read(self, path: Path, root: Element | None = None) -> Element:
        """The root element of a file, with its includes in place.

        `root` is its root element where it has been parsed already; this is changed. Raises ConfigError if the file or
        one it includes cannot be read, or must not be.
        """
        self._open.append(resolved(path))
        try:
            parsed = self._parsed(path) if root is None else root
            return self.expand(parsed, path.parent)
        finally:
            self._open.pop()

    def _parsed(self, path: Path) -> Element:
        document = parse_document(read_file_bytes(path), str(path))
        self._elements += document.elements
        if self._elements > MAX_ELEMENTS:
            raise _refusal(f"the files included have more than {MAX_ELEMENTS:,} elements together", document.root)
        return document.root

    def expand(self, root: Element, base: Path) -> Element:
        """The element with its includes in place; `base` is the folder that relative references start from."""
        scope = {"": "", "xml": "http://www.w3.org/XML/1998/namespace"}
        nodes = self._nodes(root, base, scope)
        element = next((node for node in nodes if isinstance(node, Element)), None)
        if element is None:
            raise _refusal("includes no element in the place of its top element", root)
        return element

    def _nodes(self, element: Element, base: Path, outer: _Scope) -> list[_Node]:
        scope = _scope_of(element, outer)
        space, name = _name(element, element.tag, scope)
        if space != NAMESPACE:
            element.children = self._expanded(element.children, base, scope)
            return [element]
        if name != "include":
            raise _refusal(f"<{element.tag}> may only stand inside an include", element)
        return self._include(element, base, scope)

    def _expanded(self, children: list[_Node], base: Path, scope: _Scope) -> list[_Node]:
        result: list[_Node] = []
        for child in children:
            result.extend(self._nodes(child, base, scope) if isinstance(child, Element) else [child])
        return result

    def _include(self, element: Element, base: Path, scope: _Scope) -> list[_Node]:
        href = element.attributes.get("href", "")
        kind = element.attributes.get("parse", "xml")
        if not href or "xpointer" in element.attributes or kind not in ("xml", "text"):
            raise _refusal("an include needs an href; parse is xml or text, and xpointer is not read", element)
        target = self._target(element, href, base)
        if not is_there(target):
            return self._fallback(element, href, base, scope)
        self._count += 1
        if target in self._open:
            raise _refusal(f"{href} includes itself", element)
        if self._count > MAX_INCLUDES:
            raise _refusal(f"more than {MAX_INCLUDES} files are included", element)
        if kind == "text":
            return [decode_xml(read_file_bytes(target), str(target))]
        return [self.read(target)]

    def _target(self, element: Element, href: str, base: Path) -> Path:
        if self._folder is None:
            raise _refusal(f"includes {href}; text without a folder includes nothing", element)
        if ":" in href or "\0" in href:
            raise _refusal(f"includes {href}; only files beside this one are included", element)
        target = resolved(base / href)
        if not target.is_relative_to(self._folder):
            raise _refusal(f"includes {href}, which is outside the folder {self._folder}", element)
        return target

    def _fallback(self, element: Element, href: str, base: Path, scope: _Scope) -> list[_Node]:
        for child in element.elements():
            inner = _scope_of(child, scope)
            if _name(child, child.tag, inner) == (NAMESPACE, "fallback"):
                return self._expanded(child.children, base, inner)
        raise _refusal(f"includes {href}, which is not there, and has no fallback", element)


def _scope_of(element: Element, outer: _Scope) -> _Scope:
    declared = {
        name.partition(":")[2]: value
        for name, value in element.attributes.items()
        if name == "xmlns" or name.startswith("xmlns:")
    }
    return {**outer, **declared} if declared else outer


def _name(element: Element, tag: str, scope: _Scope) -> tuple[str, str]:
    prefix, _, local = tag.rpartition(":")
    if prefix not in scope:
        raise _refusal(f"the prefix {prefix}: of <{tag}> is not declared", element)
    return scope[prefix], local


def _refusal(message: str, element: Element) -> ConfigError:
    return ConfigError.of(message, element.file, element.line, element.tag)
