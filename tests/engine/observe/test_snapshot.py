"""What a snapshot's rows promise to every screen."""

from engine.observe.snapshot import UNKNOWN, AskRow, Header, ObstacleSummary, Unknown


def test_unknown_is_one_value_and_no_number() -> None:
    """A field the source cannot tell can be asked for by identity and never equals 0."""
    assert Unknown("unknown") is UNKNOWN
    assert isinstance(UNKNOWN, Unknown)
    assert not isinstance(UNKNOWN, int)


def test_rows_of_the_same_cluster_are_equal() -> None:
    def header() -> Header:
        return Header(
            0, "fair-2.7", ("memory_mb", "vcores"), (4096, 4), (0, 0), UNKNOWN, 1, 0, 0, 0, 0, 0, 0, False, ""
        )

    assert header() == header()
    assert header() != Header(
        1, "fair-2.7", ("memory_mb", "vcores"), (4096, 4), (0, 0), UNKNOWN, 1, 0, 0, 0, 0, 0, 0, False, ""
    )


def test_an_ask_prefers_no_place_and_a_refusal_is_known_unless_said_otherwise() -> None:
    assert (AskRow(1, 2, (1024, 1)).places, AskRow(1, 2, (1024, 1)).relax_locality) == ((), True)
    assert ObstacleSummary("NO_FIT", "too big").certainty == "known"
