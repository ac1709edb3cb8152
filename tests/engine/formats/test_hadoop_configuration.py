"""yarn-site.xml and its like."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.hadoop_configuration import parse_configuration, read_configurations


def prop(name: str, value: str, extra: str = "") -> str:
    return f"<property><name>{name}</name><value>{value}</value>{extra}</property>\n"


def document(*parts: str) -> str:
    return '<configuration xmlns:xi="http://www.w3.org/2001/XInclude">\n' + "".join(parts) + "</configuration>"


def messages(text: str) -> list[str]:
    return [str(warning) for warning in parse_configuration(text, "y.xml").warnings]


def test_values_are_kept_as_written() -> None:
    """Names are trimmed, values are not; a comment inside a value leaves nothing; nested configurations count."""
    text = document(prop(" a\n", " 2 "), prop("b", "1<!-- x -->5"), document(prop("c", "<![CDATA[<x>]]>")))

    assert parse_configuration(text).values == {"a": " 2 ", "b": "15", "c": "<x>"}


def test_a_property_without_a_value_or_a_name_is_not_set() -> None:
    text = document(prop("a", ""), "<property><value>5</value></property>\n", prop("b", "1</value><value>2"))

    configuration = parse_configuration(text, "y.xml")

    assert configuration.values == {"b": "2"}
    assert [str(warning) for warning in configuration.warnings] == [
        "y.xml:2: a: has no value and is not set",
        "y.xml:3: property: a property without a name is ignored",
    ]


def test_the_last_of_equal_names_counts() -> None:
    configuration = parse_configuration(document(prop("a", "1"), prop("a", "2")), "y.xml")

    assert configuration.values == {"a": "2"}
    assert configuration.places == {"a": ("y.xml", 3)}
    assert [str(warning) for warning in configuration.warnings] == ["y.xml:3: a: given again; line 2 has no effect"]


def test_final_stays(tmp_path: Path) -> None:
    first, second = tmp_path / "1.xml", tmp_path / "2.xml"
    first.write_text(document(prop("a", "1", "<final>true</final>"), prop("b", "1")))
    second.write_text(document(prop("a", "2"), prop("a", "1"), prop("b", "2")))

    configuration = read_configurations([first, second])

    assert configuration.values == {"a": "1", "b": "2"}
    assert configuration.final == {"a"}
    assert [str(warning) for warning in configuration.warnings] == [
        f"{second}:2: a: has no effect: it is final at {first}:2"
    ]


def test_final_is_one_exact_word() -> None:
    text = document(prop("a", "1", "<final> true </final>"), prop("b", "1", "<final>false</final>"))

    assert parse_configuration(text).final == frozenset()
    assert messages(text) == ["y.xml:2: a: final counts only as the word true without blanks"]


def test_variables_that_cannot_be_replaced_are_said() -> None:
    text = document(prop("a", "${a}"), prop("b", "${user.name}"))

    assert parse_configuration(text).values == {"a": "${a}", "b": "${user.name}"}
    assert messages(text) == [
        "y.xml:2: a: '${a}' refers to itself or to too many variables; Hadoop fails when it reads it",
        "y.xml:3: b: ${user.name} is a property of the server's Java, not known here, and stays as it is"
        " (-D user.name=VALUE gives it one)",
    ]


def test_old_names_are_read_as_the_new_ones(tmp_path: Path) -> None:
    """In the order of the file, `final` included; variables may use either name, and it is said."""
    path = tmp_path / "y.xml"
    old, new = "topology.script.file.name", "net.topology.script.file.name"
    path.write_text(
        document(prop(new, "1"), prop(old, "2", "<final>true</final>"), prop(new, "3"), prop("a", f"${{{old}}}"))
    )

    configuration = read_configurations([path])

    assert configuration.values == {new: "2", "a": "2"}
    assert [str(warning) for warning in configuration.warnings] == [
        f"{path}:3: {old}: an old name that Hadoop still reads ({new})",
        f"{path}:3: {new}: given again; line 2 has no effect",
        f"{path}:4: {new}: has no effect: it is final at {path}:3",
    ]


def test_each_release_has_its_old_names(tmp_path: Path) -> None:
    """What 3.4 renamed is itself for 2.7; its increments are read under both names."""
    path = tmp_path / "y.xml"
    zk, mb, vcores = "yarn.resourcemanager.zk-acl", "yarn.scheduler.increment-allocation-mb", "vcores"
    new_mb = "yarn.resource-types.memory-mb.increment-allocation"
    path.write_text(document(prop(zk, "x"), prop(mb, "512"), prop(vcores, "2")))

    assert read_configurations([path]).warnings == ()
    later = read_configurations([path], era="3.4")
    assert sorted(later.values) == sorted(["hadoop.zk.acl", mb, vcores])
    assert [warning.hint for warning in later.warnings] == ["hadoop.zk.acl", new_mb]

    path.write_text(document(prop(mb, "512"), prop(new_mb, "1Gi")))
    [warning] = read_configurations([path], era="3.4").warnings
    assert warning.message == "has no effect: its new name is given too"


def test_all_refusals_of_all_files_come_at_once(tmp_path: Path) -> None:
    wrong, bad, missing = tmp_path / "wrong.xml", tmp_path / "bad.xml", tmp_path / "none.xml"
    wrong.write_text("<allocations/>")
    bad.write_text(document("<property><name>a</name><value><b/>5</value></property>"))

    with pytest.raises(ConfigError) as caught:
        read_configurations([wrong, bad, missing])

    assert sorted(str(problem) for problem in caught.value.problems) == sorted(
        [
            f"{wrong}:1: allocations: the top element is <allocations>, not <configuration>"
            " (this looks like a fair-scheduler.xml)",
            f"{bad}:2: value: does not begin with text",
            f"{missing}: no such file",
        ]
    )
