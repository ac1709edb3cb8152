"""XML as a Java DOM holds it."""

import pytest

from engine.errors import ConfigError
from engine.formats.regular_files import MAX_BYTES
from engine.formats.xml import MAX_DEPTH, parse_xml


def refusal(source: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_xml(source, "f.xml")
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
    assert parse_xml(data).text() == text


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
