"""Forms of a property that only one release reads, or each in its own way."""

import pytest

from engine.formats.hadoop_configuration import parse_configuration


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
