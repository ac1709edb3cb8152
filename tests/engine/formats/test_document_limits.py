"""Documents of XML at their limits, and where a file that is none goes wrong."""

from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem, Problems
from engine.formats import xml as xml_include
from engine.formats.hadoop_configuration import properties_of
from engine.formats.xml import Includer, parse_xml

INCLUDE = '<xi:include href="{}" xmlns:xi="http://www.w3.org/2001/XInclude"/>'


def refused(text: str) -> Problem:
    with pytest.raises(ConfigError) as error:
        parse_xml(text, "f.xml")
    (problem,) = error.value.problems
    return problem


@pytest.mark.parametrize(
    ("limit", "fits", "text", "message", "line"),
    [
        (
            "MAX_DEPTH",
            "<a><b><c/></b></a>",
            "<a>\n<b><c><d/></c></b></a>",
            "elements are nested deeper than 3 levels",
            2,
        ),
        ("MAX_ELEMENTS", "<a><b/><b/></a>", "<a><b/><b/>\n\n<b/></a>", "has more than 3 elements", 3),
        (
            "MAX_ATTRIBUTES",
            "<a x='1' y='2'><b z='3'/></a>",
            "<a x='1' y='2'>\n<b z='3' x='4'/></a>",
            "has more than 3 attributes",
            2,
        ),
    ],
)
def test_a_document_is_of_bounded_size(
    monkeypatch: pytest.MonkeyPatch, limit: str, fits: str, text: str, message: str, line: int
) -> None:
    monkeypatch.setattr(xml_include, limit, 3)

    assert parse_xml(fits, "f.xml").tag == "a"
    assert refused(text) == Problem(message, "f.xml", line)


@pytest.mark.parametrize(("count", "is_refused"), [(3, False), (4, True)])
def test_so_many_files_are_included(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int, *, is_refused: bool
) -> None:
    monkeypatch.setattr(xml_include, "MAX_INCLUDES", 3)
    (tmp_path / "one.xml").write_text("<one/>")
    path = tmp_path / "a.xml"
    path.write_text(f"<a>{INCLUDE.format('one.xml') * count}</a>")
    if is_refused:
        with pytest.raises(ConfigError, match="more than 3 files are included"):
            Includer(tmp_path).read(path)
    else:
        assert [child.tag for child in Includer(tmp_path).read(path).elements()] == ["one"] * count


@pytest.mark.parametrize(("inside", "is_refused"), [("<b/>", False), ("<b/><b/>", True)])
def test_included_files_have_so_many_elements_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, inside: str, *, is_refused: bool
) -> None:
    monkeypatch.setattr(xml_include, "MAX_ELEMENTS", 4)
    (tmp_path / "one.xml").write_text(f"<one>{inside}</one>")
    path = tmp_path / "a.xml"
    path.write_text(f"<a>{INCLUDE.format('one.xml')}</a>")
    if is_refused:
        with pytest.raises(ConfigError, match="the files included have more than 4 elements together"):
            Includer(tmp_path).read(path)
    else:
        assert Includer(tmp_path).read(path).tag == "a"


def properties(inside: str, era: str) -> tuple[list[tuple[str, str | None, bool]], list[tuple[str, str]]]:
    """Names, values and finality of a document, and what is warned of."""
    problems = Problems("f.xml")
    found = list(properties_of(parse_xml(f"<configuration>{inside}</configuration>", "f.xml"), era, problems))
    return [(each.key, each.value, each.is_final) for each in found], [
        (one.key, one.message) for one in problems.warnings
    ]


@pytest.mark.parametrize(
    ("inside", "old", "new"),
    [
        ('<property name="a" value="1" final="true"/>', [], [("a", "1", True)]),
        ("<property><name>a</name></property>", [("a", None, False)], [("a", None, False)]),
        ("<property><name>a</name><value/></property>", [("a", None, False)], [("a", None, False)]),
        ("<property><value>1</value></property>", [], []),
        ("<other><name>a</name><value>1</value></other>", [("a", "1", False)], []),
        ("<property><name>a</name><name>b</name><value>1</value></property>", [("b", "1", False)], [("b", "1", False)]),
        (
            "<configuration><property><name>a</name><value>1</value></property></configuration>",
            [("a", "1", False)],
            [("a", "1", False)],
        ),
    ],
)
def test_releases_read_properties_in_their_ways(
    inside: str, old: list[tuple[str, str | None, bool]], new: list[tuple[str, str | None, bool]]
) -> None:
    assert (properties(inside, "2.7")[0], properties(inside, "3.4")[0]) == (old, new)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", Problem("is empty", "f.xml", 1)),
        ('<?xml version="1.2"?><a/>', Problem("is XML 1.2; only XML 1.0 and 1.1 are read", "f.xml", 1)),
        ('<!DOCTYPE a [\n<!ENTITY x "y">]>\n<a/>', Problem("declares the entity x; entities are not read", "f.xml")),
        (
            '<?xml version="1.0" encoding="none-such"?><a/>',
            Problem("declares the encoding none-such, which is not known", "f.xml", 1),
        ),
    ],
)
def test_a_document_is_refused_with_its_line(text: str, problem: Problem) -> None:
    assert refused(text) == problem
