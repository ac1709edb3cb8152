"""XML of configuration files as Hadoop reads it: trees, limits, stray text, properties, variables."""

from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.hadoop_configuration import Variables, parse_configuration
from engine.formats.regular_files import MAX_BYTES
from engine.formats.xml import MAX_DEPTH, Includer, parse_document, stray_text


def refusal(source: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_document(source, "f.xml")
    (problem,) = caught.value.problems
    return str(problem)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf<a>\xc3\xa9</a>", "é"),
        (b'\xef\xbb\xbf<?xml version="1.0" encoding="ISO-8859-1"?><a>\xc3\xa9</a>', "Ã©"),
        ('<?xml version="1.0" encoding="UTF-16"?><a>é</a>'.encode("utf-16"), "é"),
        ('<?xml version="1.1" encoding="UTF-16"?><a>é</a>'.encode("utf-16-be"), "é"),
        ('<?xml version="1.0" encoding="gbk"?><a>中</a>'.encode("gbk"), "中"),
        ("<a>é</a>".encode(), "é"),
    ],
)
def test_encodings_java_reads(data: bytes, text: str) -> None:
    assert parse_document(data).root.text() == text


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("<!-- none -->", "no element found"),
        ("hello", "syntax error"),
        ("<a></b>", "mismatched tag"),
        ("<a/><a/>", "junk after document element"),
        ("<a>&nbsp;</a>", "undefined entity"),
        ('<?xml version="2.0"?><a/>', "is XML 2.0"),
        ('<!DOCTYPE a [<!ENTITY x "v">]><a>&x;</a>', "declares the entity x"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "declares the entity x"),
        ('<!DOCTYPE a SYSTEM "a.dtd"><a/>', "external document type"),
        ("<a>" * (MAX_DEPTH + 1), f"deeper than {MAX_DEPTH} levels"),
        (" " * MAX_BYTES + "<a/>", "larger than 10 MB"),
        ('<?xml version="1.0"?><a>中</a>'.encode("gbk"), "is not in its encoding utf-8: byte 0xd6"),
        (b'<?xml version="1.0" encoding="US-ASCII"?>\n<a>\xe9</a>', "f.xml:2: is not in its encoding US-ASCII"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "klingon, which is not known"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "klingon, which is not known"),
        (b'<?xml version="1.0" encoding="utf_7"?><a/>', "utf_7, which is not known"),
        (b'<?xml version="1.0" encoding="rot13"?><a/>', "rot13, which is not known"),
        (b'<?xml version="1.0" encoding="utf-16"?><a/>', "but has one byte per character"),
        ('<?xml version="1.0" encoding="UTF-8"?><a/>'.encode("utf-16"), "but starts as utf-16-le"),
        ("<a/>".encode("utf-32"), "UTF-32 or EBCDIC"),
        (b"\xff\xfe<\x00a", "is not in its encoding utf-16-le"),
    ],
)
def test_documents_that_are_refused(source: str | bytes, why: str) -> None:
    message = refusal(source)

    assert why in message
    assert message.startswith("f.xml")


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("<?xml version=“1.0”?><a/>", "curly quotes"),
        ("<a>\n<b c=“x”/></a>", "curly quotes"),
        ('<?xml version="1.0">\n<a/>', "the declaration ends with ?>"),
        ("<a><% if x %></a>", "a template that was not rendered"),
        ("{% if x %}<a/>", "a template that was not rendered"),
        ("--- a/f.xml\n+++ b/f.xml", "it looks like a patch"),
        ("<a>\n<b>\n</a>", "f.xml:3: not well-formed XML: mismatched tag (<b> of line 2 is open there)"),
        ("<a>", "no element found (<a> of line 1 is open there)"),
    ],
)
def test_likely_causes_are_named(source: str, hint: str) -> None:
    assert hint in refusal(source)


# Documents of XML at their limits, and where a file that is none goes wrong.

INCLUDE = '<xi:include href="{}" xmlns:xi="http://www.w3.org/2001/XInclude"/>'


def refused(text: str) -> Problem:
    with pytest.raises(ConfigError) as error:
        parse_document(text, "f.xml")
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
    monkeypatch.setattr(f"engine.formats.xml.{limit}", 3)

    assert parse_document(fits, "f.xml").root.tag == "a"
    assert refused(text) == Problem(message, "f.xml", line)


@pytest.mark.parametrize(("count", "is_refused"), [(3, False), (4, True)])
def test_so_many_files_are_included(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int, *, is_refused: bool
) -> None:
    monkeypatch.setattr("engine.formats.xml.MAX_INCLUDES", 3)
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
    monkeypatch.setattr("engine.formats.xml.MAX_ELEMENTS", 4)
    (tmp_path / "one.xml").write_text(f"<one>{inside}</one>")
    path = tmp_path / "a.xml"
    path.write_text(f"<a>{INCLUDE.format('one.xml')}</a>")
    if is_refused:
        with pytest.raises(ConfigError, match="the files included have more than 4 elements together"):
            Includer(tmp_path).read(path)
    else:
        assert Includer(tmp_path).read(path).tag == "a"


# Text between elements.


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("# note\n<b/>", [1]),
        ("\n# note\n<b/>", [2]),
        ("\n<b/> # note\n<b/>", [2]),
        ("\n<b/>\n\n# note\n", [4]),
        ("\n<b>text</b>\n", []),
        ("\n<!-- note --><b/>\n", []),
        ("# one\n<b/># two\n<b/>", [1, 2]),
    ],
)
def test_each_text_has_its_line(inside: str, lines: list[int]) -> None:
    found = list(stray_text(parse_document(f"<a>{inside}</a>", "f").root, {"a"}))
    assert [each.line for each in found] == lines


# Forms of a property that only one release reads, or each in its own way.


def values(inside: str, era: str) -> dict[str, str]:
    """The properties that a release finds inside the top element."""
    return dict(parse_configuration(f"<configuration>{inside}</configuration>", "y.xml", era=era).values)


def prop(value: str) -> str:
    return f"<property><name>a</name><value>{value}</value></property>"


@pytest.mark.parametrize(
    ("inside", "in_27", "in_34"),
    [
        (prop("5"), {"a": "5"}, {"a": "5"}),
        (prop(""), {}, {}),
        (prop("5<b/>2"), {"a": "5"}, {"a": "52"}),
        (prop("5<?x?>2"), {"a": "5"}, {"a": "52"}),
        (prop("5<!-- x -->2"), {"a": "52"}, {"a": "52"}),
        (prop("5<![CDATA[2]]>"), {"a": "5"}, {"a": "52"}),
        (prop("5</value><value>2"), {"a": "2"}, {"a": "2"}),
        (prop("5</value><value>"), {"a": "5"}, {"a": "5"}),
        ('<property name="a" value="5"/>', {}, {"a": "5"}),
        ('<property name="a"><value>5</value></property>', {}, {"a": "5"}),
        (f"<properties>{prop('5')}</properties>", {}, {"a": "5"}),
        (f"<configuration>{prop('5')}</configuration>", {"a": "5"}, {"a": "5"}),
        ("<prop><name>a</name><value>5</value></prop>", {"a": "5"}, {}),
        ("<property><Name>a</Name><value>5</value></property>", {}, {}),
    ],
)
def test_each_release_finds_its_properties(inside: str, in_27: dict[str, str], in_34: dict[str, str]) -> None:
    """2.7 takes first children of children; 3.4 takes all text, attributes, and properties at any depth."""
    assert (values(inside, "2.7"), values(inside, "3.4")) == (in_27, in_34)


@pytest.mark.parametrize(
    ("inside", "era", "expected"),
    [
        ('<property name="a" value="5"/>', "2.7", "Hadoop 2.7 reads no attributes: write <name> and <value>"),
        ("<prop><name>a</name><value>5</value></prop>", "3.4", "<prop> is not a <property>: Hadoop 3 ignores it"),
        ("<property><value>5</value></property>", "3.4", "a property without a name is ignored"),
        ("<property><name>a</name><value>5</value><final>yes</final></property>", "3.4", "final counts only as the"),
    ],
)
def test_what_a_release_does_not_read_is_said(inside: str, era: str, expected: str) -> None:
    found = parse_configuration(f"<configuration>{inside}</configuration>", "y.xml", era=era).warnings
    assert [expected in str(each) for each in found] == [True]


# Variables in values, as the classes of 2.7.2 and 3.4.1 answered.

SUBSTITUTED_RAW = {
    "b": "${c}",
    "c": "7",
    "self": "${self}",
    "hop": "a${hop}",
    "t": "${u}",
    "u": "${t}",
    "big": "x" * 500_000,
}
SUBSTITUTED_GIVEN = {"env.SET": "ea", "env.EMPTY": "", "b.prop": "p", "c.prop": "p"}


def replaced(text: str, era: str) -> str | None:
    return Variables({**SUBSTITUTED_RAW, "c.prop": "of the file"}, SUBSTITUTED_GIVEN, era).replaced(text)


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${c}", "7"),
        ("x${c}y${b}z", "x7y7z"),
        ("$${c}", "$7"),
        ("${x${c}", "${x7"),
        ("${${c}}", "${7}"),
        ("${c}}", "7}"),
        ("$b ${ c} ${c ${}", "$b ${ c} ${c ${}"),
        ("${none}${c}", "${none}${c}"),
        ("${c}" * 19, "7" * 19),
        ("${c}" * 20, None),
        ("${t}", None),
        ("${big}${big}${big}", None),
        ("${c.prop}${b.prop}", "pp"),
        ("${java.io.tmpdir}${file.separator}x", "/tmp/x"),
        ("${env.NONE}", "${env.NONE}"),
        ("${env.}", "${env.}"),
    ],
)
def test_both_releases_replace_alike(era: str, text: str, value: str | None) -> None:
    """One at a time from the left, at most 19; one without a value ends it; Java's properties go before the file."""
    assert replaced(text, era) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${env.SET}", "ea"),
        ("${env.SET:-x}", "ea"),
        ("${env.NONE:-x}", "x"),
        ("${env.NONE-x}", "x"),
        ("${env.EMPTY:-x}", "x"),
        ("${env.EMPTY-x}", ""),
        ("${env.NONE:-}", ""),
        ("${env.NONE-}", ""),
        ("${env.SET-b:-c}", "ea"),
        ("${env.a-b:-c}", "b:-c"),
        ("${env.:-x}", "x"),
        ("${env.NONE:-${c}}", "7"),
        ("${env.NONE:-x y}", "${env.NONE:-x y}"),
    ],
)
def test_only_hadoop_3_reads_the_environment(text: str, value: str) -> None:
    """`:-` stands in for what is not set or empty, `-` only for what is not set; 2.7 leaves all of it."""
    assert replaced(text, "3.4") == value
    assert replaced(text, "2.7") == text.replace("${c}", "7")


@pytest.mark.parametrize(
    ("text", "value"), [("${self}", "${self}"), ("1${hop}", "1${hop}"), ("${b}${hop}", "${b}${hop}")]
)
def test_a_variable_that_leads_to_itself_at_once(text: str, value: str) -> None:
    assert replaced(text, "2.7") is None
    assert replaced(text, "3.4") == value


@pytest.mark.parametrize(
    ("text", "era", "said"),
    [
        ("7", "2.7", ("", "")),
        (
            "${user.home}/x",
            "2.7",
            (
                "${user.home} is a property of the server's Java, not known here, and stays as it is",
                "-D user.home=VALUE gives it one",
            ),
        ),
        ("${env.A:-b}", "2.7", ("${env.A:-b} stays as it is", "Hadoop reads the environment from 3.0 on")),
        (
            "${env.A}",
            "3.4",
            (
                "${env.A} is the environment of the server, not known here, and stays as it is",
                "-D env.A=VALUE gives it one",
            ),
        ),
        ("${hdp}", "3.4", ("${hdp} has no value here and stays as it is", "-D hdp=VALUE gives it one")),
    ],
)
def test_what_is_left_is_said(text: str, era: str, said: tuple[str, str]) -> None:
    assert Variables({}, {}, era).left(text) == said
