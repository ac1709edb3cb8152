"""What was tested, as JUnit's XML: for forges and runners of tests.

Source: the schema of Jenkins' xunit plugin, which GitLab reads, too.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring


class JunitCase(NamedTuple):
    """One test."""

    classname: str
    name: str
    verdict: str = ""  # `failure`, `skipped`, `system-out` where something is said of it; empty: it passed
    message: str = ""
    text: str = ""


def junit(suites: Iterable[tuple[str, Sequence[JunitCase]]]) -> str:
    """Suites with their cases."""
    root = Element("testsuites")
    for name, cases in suites:
        failures = sum(each.verdict == "failure" for each in cases)
        suite = SubElement(root, "testsuite", name=name, tests=str(len(cases)), failures=str(failures))
        for each in cases:
            case = SubElement(suite, "testcase", classname=each.classname, name=each.name)
            if each.verdict:
                attributes = {"message": each.message} if each.message else {}
                SubElement(case, each.verdict, attributes).text = each.text or None
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'
