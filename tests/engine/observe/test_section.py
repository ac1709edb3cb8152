"""Rows that are made when they are asked for, and glimpses that make none."""

import msgspec

from engine.observe.snapshot import Section, column, glimpses, picked


class _Row(msgspec.Struct, frozen=True):
    name: str
    size: int
    shape: str = "round"


class _Reads:
    """Counts what is read of each thing."""

    def __init__(self) -> None:
        self.sizes = 0

    def size(self, thing: str) -> int:
        self.sizes += 1
        return len(thing)


def _section(reads: _Reads) -> Section[_Row]:
    return Section(["one", "three", "seven"], _Row, {"name": str, "size": reads.size})


def test_a_row_is_made_when_it_is_asked_for() -> None:
    reads = _Reads()
    row = _section(reads)[1]

    assert (row, reads.sizes) == (_Row("three", 5), 1)


def test_a_section_is_a_sequence() -> None:
    section = _section(_Reads())

    assert [row.name for row in section] == ["one", "three", "seven"]
    assert (len(section), [row.name for row in section[1:]]) == (3, ["three", "seven"])
    assert [row.name for row in picked(section, [2, 0])] == ["seven", "one"]
    assert picked(("a", "b"), [1]) == ["b"]


def test_a_glimpse_reads_only_what_is_looked_at() -> None:
    reads = _Reads()
    seen = list(glimpses(_section(reads)))

    assert [glimpse.name for glimpse in seen] == ["one", "three", "seven"]
    assert (reads.sizes, isinstance(seen[0], _Row), hasattr(seen[0], "colour")) == (0, True, False)


def test_a_dear_field_has_another_value_from_afar() -> None:
    section = Section(["one"], _Row, {"name": str, "size": len}, {"size": lambda thing: 0})

    assert (section[0].size, [glimpse.size for glimpse in section[:1].glimpses()]) == (3, [0])


def test_a_field_that_a_section_leaves_out_has_its_default() -> None:
    section = _section(_Reads())

    assert [section[0].shape, next(iter(section.glimpses())).shape, column(section, "shape")[2]] == ["round"] * 3


def test_glimpses_of_a_plain_sequence_are_its_rows() -> None:
    rows = (1, 2)

    assert glimpses(rows) is rows


def test_a_section_equals_any_sequence_of_its_rows() -> None:
    """A list of them, or a section made otherwise; not what is no sequence."""
    section = _section(_Reads())
    rows = [_Row("one", 3), _Row("three", 5), _Row("seven", 5)]

    assert section == rows
    assert section == Section(rows, _Row, {"name": lambda row: row.name, "size": lambda row: row.size})
    assert section != rows[1:]
    assert section != 3


def test_a_column_is_read_without_making_rows() -> None:
    """Of a section only that field is read; of a plain sequence it is the rows' own."""
    reads = _Reads()
    section = _section(reads)

    assert (column(section, "name"), reads.sizes) == (["one", "three", "seven"], 0)
    assert column([_Row("one", 3), _Row("two", 4)], "size") == [3, 4]


class _Aged(_Row, frozen=True):
    age: int = 7


def test_a_field_that_is_left_out_is_a_column_of_its_default() -> None:
    section = Section(["one", "three"], _Aged, {"name": str, "size": len})

    assert column(section, "age") == [7, 7]
    assert column(section[:0], "age") == []
