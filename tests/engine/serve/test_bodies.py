"""Documents and bodies as bytes, numbers in the form of Java, and the form that a client wants."""

from typing import Any

import pytest

from engine.serve.bodies import body_of, checked, java_number, json_bytes, xml_bytes
from engine.serve.wire import RELEASES, HttpQuestion, Repeated, RestError, amount, single, wanted_form


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


@pytest.mark.parametrize(("content", "body"), [("", b"[1]"), ("", b"{"), ("application/xml", b"<a>"), ("", b"\xff")])
def test_a_body_that_cannot_be_read_is_refused(content: str, body: bytes) -> None:
    with pytest.raises(RestError):
        body_of(HttpQuestion("PUT", "/", body=body, content_type=content))


def test_documents_are_written_in_both_forms() -> None:
    """A type is a field or an attribute, once declared; what is repeated repeats its name."""
    body = {"@type": "t", "e": Repeated([{"k": "a"}, {"k": "b"}]), "in": {"@type": "u", "n": None}, "l": [{}, {"x": 1}]}

    assert json_bytes("r", body, RELEASES["3.4"]) == (
        b'{"r":{"type":"t","e":{"k":"a"},"e":{"k":"b"},"in":{"type":"u","n":null},"l":[{},{"x":1}]}}'
    )
    assert xml_bytes("r", body).decode().partition("?>")[2] == (
        '<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="t"><e><k>a</k></e><e><k>b</k></e>'
        '<in xsi:type="u"></in><l/><l><x>1</x></l></r>'
    )


@pytest.mark.parametrize(
    ("root", "body", "era", "written"),
    [
        ("r", {}, "2.7", b'{"r":null}'),
        ("r", {}, "3.4", b'{"r":{}}'),
        ("", {}, "2.7", b"{}"),
        ("", {"a": "\ud800"}, "2.7", '{"a":"\ufffd"}'.encode()),
        ("r", {"a": Repeated(["\ud800", 1])}, "3.4", '{"r":{"a":"\ufffd","a":1}}'.encode()),
    ],
)
def test_nothing_and_texts_that_cannot_be_encoded(root: str, body: dict[str, Any], era: str, written: bytes) -> None:
    assert json_bytes(root, body, RELEASES[era]) == written


@pytest.mark.parametrize(
    ("value", "written"), [(0.1, 0.1), (100 / 3, 33.333332), (1e-7, 1e-7), (16777217, 16777216.0), (0, 0.0)]
)
def test_a_float_is_the_shortest_that_is_the_same(value: float, written: float) -> None:
    assert single(value) == written


def test_an_amount_lists_its_resources_in_the_later_release() -> None:
    listed = amount(RELEASES["3.4"], 5, 6)["resourceInformations"]["resourceInformation"]

    assert amount(RELEASES["2.7"], 5, 6) == {"memory": 5, "vCores": 6}
    assert [(each["name"], each["units"], each["value"], each["minimumAllocation"]) for each in listed] == [
        ("memory-mb", "Mi", 5, 0),
        ("vcores", "", 6, 0),
    ]
    assert {each["maximumAllocation"] for each in listed} == {2**63 - 1}


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("application/xml, application/json", "json"),
        ("application/xml;q=0.2, application/json;q=0.1", "xml"),
        ("application/json;q=0", ""),
        ("APPLICATION/XML", "xml"),
        ("*/*;q=0.5, application/xml;q=0.4", "json"),
        (" , ", "json"),
        ("text/html;level=1;q=0.3, */*;q=0.1", "json"),
    ],
)
def test_a_form_is_wanted_by_its_own_name_first(accept: str, form: str) -> None:
    assert wanted_form(accept) == form
