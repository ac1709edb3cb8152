"""Where keys stand in a TOML text."""

import tomllib

from engine.formats.toml_lines import line_numbers

TEXT = '''# a comment with [brackets] = "and more"
title = "a # b"
about = """
two = "lines" \\""" and
[[more]]"""
"quoted.key" = 1

[cluster]  # a table
nested.inner = 2026-01-01T00:00:00Z
literal = 'c:\\n'
[[cluster.nodes]]
host = "a"

[[cluster.nodes]]
host = "b"
asks = [
  {memory = "1g", tags = ["x", "]"]},  # first
  {memory = "2g"},
]
[cluster.nodes.limits]
most = 3
'''


def test_every_key_of_a_document_has_its_line() -> None:
    """Tables, lists of tables, inline tables, dotted and quoted keys, strings with traps; items where they break."""
    tomllib.loads(TEXT)
    lines = line_numbers(TEXT)
    assert lines["title",] == 2
    assert lines["quoted.key",] == 6
    assert lines["cluster",] == 8
    assert lines["cluster", "nested", "inner"] == 9
    assert lines["cluster", "nodes", 1, "host"] == 15
    assert lines["cluster", "nodes", 1, "asks", 0, "tags"] == 17
    assert ("cluster", "nodes", 1, "asks", 0, "tags", 1) not in lines
    assert lines["cluster", "nodes", 1, "asks", 1, "memory"] == 18
    assert lines["cluster", "nodes", 1, "limits", "most"] == 21


def test_text_inside_strings_is_not_taken_for_keys() -> None:
    assert ("more",) not in line_numbers(TEXT)
    assert ("two",) not in line_numbers(TEXT)


def test_a_comment_may_end_the_text() -> None:
    assert line_numbers("a = 1 # end") == {("a",): 1}


def test_quotes_next_to_the_closing_marks_belong_to_the_string() -> None:
    text = 'a = """x"""""\nb = 1\n'
    assert tomllib.loads(text)["a"] == 'x""'
    assert line_numbers(text)["b",] == 2
