"""Answers as XML, beside those a real server wrote at that instant."""

import re

import pytest

from engine.serve.bodies import xml_bytes
from tests.engine.serve.asked import asked, exchanges

AT_MS = 65_600
INEXACT = re.compile(
    r"<(lastHealthUpdate|elapsedTime|startedTime|finishedTime|memorySeconds|vcoreSeconds|name|progress)>[^<]*<"
)
REQUESTS = re.compile(r"(<resourceRequests>.*?</resourceRequests>)+")


@pytest.mark.parametrize("path", ["/info", "/metrics", "/scheduler", "/nodes", "/apps?states=RUNNING"])
def test_xml_is_that_of_the_real_server(path: str) -> None:
    real = next(each for each in exchanges("2.7.2-fair") if each.path.endswith(path) and each.label == "xml")
    said = asked("reservation-deadlock-recorded", AT_MS).ask(path, accept="application/xml")

    assert said.content_type == real.type
    assert _exact(said.body.decode()) == _exact(real.text)


def _exact(text: str) -> str:
    return REQUESTS.sub("", INEXACT.sub(r"<\1><", text))


@pytest.mark.parametrize(
    ("path", "words"), [("/metrics", "3.4.1-fair-incident"), ("/scheduler", "3.4.1-fair-incident")]
)
def test_elements_are_those_of_the_later_server(path: str, words: str) -> None:
    real = next(each for each in exchanges(words) if each.path.endswith(path) and each.label == "xml")
    said = asked("reservation-deadlock-recorded-3.4", AT_MS).ask(path, accept="application/xml")

    assert said.content_type == real.type
    assert re.findall(r"<[^/][^>]*>", said.body.decode()) == re.findall(r"<[^/][^>]*>", real.text)


def test_texts_are_escaped_and_nothing_is_an_empty_element() -> None:
    written = xml_bytes("app", {"name": "<a & b>", "tags": "", "labels": {}, "is": True, "many": [1, 2]})
    assert written.endswith(
        b"<app><name>&lt;a &amp; b&gt;</name><tags></tags><labels/><is>true</is><many>1</many><many>2</many></app>"
    )
