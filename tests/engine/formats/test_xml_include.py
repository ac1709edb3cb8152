"""Includes inside one folder."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.xml import MAX_INCLUDES, Includer

SPACE = 'xmlns:xi="http://www.w3.org/2001/XInclude"'


def write(folder: Path, name: str, body: str, tag: str = "c") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"<{tag} {SPACE}>{body}</{tag}>")
    return path


def shape(folder: Path, body: str) -> str:
    """The tags and texts of a document after its includes are in place."""
    root = Includer(folder).read(write(folder, "top.xml", body))
    return "".join(child if isinstance(child, str) else f"<{getattr(child, 'tag', '?')}>" for child in root.children)


def refusal(folder: Path, body: str) -> str:
    with pytest.raises(ConfigError) as caught:
        Includer(folder).read(write(folder, "top.xml", body))
    return str(caught.value)


def test_a_document_stands_where_it_is_included(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")
    write(tmp_path, "sub/two.xml", '<xi:include href="three.xml"/>', "two")
    write(tmp_path, "sub/three.xml", "3", "three")

    assert shape(tmp_path, 'a<xi:include href="one.xml"/>b<xi:include href="sub/two.xml"/>') == "a<one>b<two>"


def test_included_elements_keep_their_file(tmp_path: Path) -> None:
    other = write(tmp_path, "one.xml", "1", "one")

    root = Includer(tmp_path).read(write(tmp_path, "top.xml", '<xi:include href="one.xml"/>'))

    assert [element.file for element in (root, *root.elements())] == [str(tmp_path / "top.xml"), str(other)]


def test_text_is_included_as_text(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("hello <b>")

    assert shape(tmp_path, '<xi:include href="t.txt" parse="text"/>') == "hello <b>"


def test_a_missing_file_falls_back(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")

    assert shape(tmp_path, 'a<xi:include href="no.xml"><xi:fallback/></xi:include>b') == "ab"
    assert shape(
        tmp_path, '<xi:include href="no.xml"><xi:fallback>x<xi:include href="one.xml"/></xi:fallback></xi:include>'
    ) == ("x<one>")


def test_the_name_space_decides(tmp_path: Path) -> None:
    """Any prefix will do, and an element of another name space is left alone."""
    write(tmp_path, "one.xml", "1", "one")

    body = (
        '<include xmlns="http://www.w3.org/2001/XInclude" href="one.xml"/>'
        '<y:include xmlns:y="http://www.w3.org/2003/XInclude" href="no.xml"/><include href="no.xml"/>'
    )
    assert shape(tmp_path, body) == "<one><y:include><include>"


def test_a_top_element_may_be_an_include(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")
    (tmp_path / "t.txt").write_text("x")
    top = tmp_path / "top.xml"

    top.write_text(f'<xi:include {SPACE} href="one.xml"/>')
    assert Includer(tmp_path).read(top).tag == "one"

    top.write_text(f'<xi:include {SPACE} href="t.txt" parse="text"/>')
    with pytest.raises(ConfigError, match="includes no element in the place of its top element"):
        Includer(tmp_path).read(top)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<xi:include href="no.xml"/>', "not there, and has no fallback"),
        ('<xi:include href="no.xml"><c/></xi:include>', "not there, and has no fallback"),
        ('<xi:include href="top.xml"/>', "top.xml includes itself"),
        ('<xi:include href="../out.xml"/>', "outside the folder"),
        ('<xi:include href="link.xml"/>', "outside the folder"),
        ('<xi:include href="/etc/passwd"/>', "outside the folder"),
        ('<xi:include href="http://x/y.xml"/>', "only files beside this one"),
        ('<xi:include href="file:one.xml"/>', "only files beside this one"),
        ("<xi:include/>", "an include needs an href"),
        ('<xi:include href="one.xml" xpointer="element(/1)"/>', "xpointer is not read"),
        ('<xi:include href="one.xml" parse="csv"/>', "parse is xml or text"),
        ('<xi:include href="broken.xml"/>', "broken.xml:1: not well-formed"),
        ("<xi:fallback/>", "may only stand inside an include"),
        ("<zz:include/>", "prefix zz: of <zz:include> is not declared"),
    ],
)
def test_includes_that_are_refused(tmp_path: Path, body: str, why: str) -> None:
    folder = tmp_path / "in"
    write(folder, "one.xml", "1", "one")
    (folder / "broken.xml").write_text("<a>")
    (tmp_path / "out.xml").write_text("<a/>")
    (folder / "link.xml").symlink_to(tmp_path / "out.xml")

    assert why in refusal(folder, body)


def test_includes_are_counted(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")

    assert f"more than {MAX_INCLUDES} files" in refusal(tmp_path, '<xi:include href="one.xml"/>' * (MAX_INCLUDES + 1))
