"""Documents and bodies as bytes, numbers in the form of Java, and the form that a client wants."""

from typing import Any

import pytest

from engine.serve.bodies import body_of, checked, java_number, json_bytes, xml_bytes
from engine.serve.wire import RELEASES, HttpQuestion, Repeated, RestError


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(
            ("0", 0),
            ("007", 7),
            ("+5", 5),
            ("-1", -1),
            ("٣", 3),
            (str(2**63 - 1), 2**63 - 1),
            (str(-(2**63)), -(2**63)),
        ),
        *((str(2**63), None), ("9" * 26, None), ("", None), ("1_0", None), (" 1", None), ("1\x01", None), ("x", None)),
    ],
)
def test_a_number_is_what_java_reads(text: str, number: int | None) -> None:
    assert java_number(text) == number


@pytest.mark.parametrize("body", [{"a": "\x01"}, {"\x01": 1}, {"a": [{"b": ["\ud800"]}]}])
def test_texts_that_xml_cannot_say_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(RestError):
        checked(body)
    assert checked({"a": ["\t", 1, None]}) == {"a": ["\t", 1, None]}


@pytest.mark.parametrize(
    ("content", "body", "found"),
    [
        ("application/xml", b"<a><b>x</b><c><d> y </d></c><e/></a>", {"b": "x", "c": {"d": "y"}}),
        ("", b'{"a": 1}', {"a": 1}),
        ("", b"", {}),
    ],
)
def test_a_body_is_read_as_what_it_is(content: str, body: bytes, found: dict[str, Any]) -> None:
    assert body_of(HttpQuestion("PUT", "/", body=body, content_type=content)) == found


def test_documents_are_written_in_both_forms() -> None:
    body = {"@type": "t", "e": Repeated([{"k": "a"}, {"k": "b"}]), "in": {"@type": "u", "n": None}, "l": [{}, {"x": 1}]}

    assert json_bytes("r", body, RELEASES["3.4"]) == (
        b'{"r":{"type":"t","e":{"k":"a"},"e":{"k":"b"},"in":{"type":"u","n":null},"l":[{},{"x":1}]}}'
    )
    assert xml_bytes("r", body).decode().partition("?>")[2] == (
        '<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="t"><e><k>a</k></e><e><k>b</k></e>'
        '<in xsi:type="u"></in><l/><l><x>1</x></l></r>'
    )
