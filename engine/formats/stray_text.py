"""Text between the elements of an XML file, most often meant as a comment."""

from collections.abc import Iterator, Set

from engine.errors import Problem, shortened
from engine.formats.xml_tree import Element

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
    """Where the first word of a text stands: counted back from the next element, else on from what stands before."""
    start = len(text) - len(text.lstrip())
    after = next((child for child in parent.children[index + 1 :] if isinstance(child, Element)), None)
    if after is not None:
        return after.line - text.count("\n", start)
    before = next((child for child in reversed(parent.children[:index]) if isinstance(child, Element)), None)
    return (before or parent).line + text.count("\n", 0, start)
