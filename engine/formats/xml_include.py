"""XInclude inside one folder, as Hadoop's configuration files use it.

`<xi:include href="other.xml"/>` is replaced by the other document's root element, `parse="text"` by its text, and
where the other document cannot be read by the content of `<xi:fallback>`.

`Differs:` references out of the folder (absolute paths, `..`, links, URLs) and `xpointer` are refused; Java follows
them.
"""

from pathlib import Path

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import is_there, read_file_bytes, resolved
from engine.formats.xml_tree import MAX_ELEMENTS, Element, Instruction, decode_xml, parse_document

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

        `root` is its root element where it has been parsed already; this is changed.

        Raises:
            ConfigError: The file or one it includes cannot be read, or must not be.
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
        """Return the nodes in place of an element: itself with its includes expanded, or what it includes."""
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
    """An element's name space and local name."""
    prefix, _, local = tag.rpartition(":")
    if prefix not in scope:
        raise _refusal(f"the prefix {prefix}: of <{tag}> is not declared", element)
    return scope[prefix], local


def _refusal(message: str, element: Element) -> ConfigError:
    return ConfigError([Problem(message, element.file, element.line, element.tag)])
