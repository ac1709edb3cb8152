"""Records as journal lines."""

import msgspec

from engine.model.decision import Allocated
from engine.observe.journal import encode_records
from engine.scenario import Size, SparkSpec
from engine.scenario.acts import KillApplication, SubmitApplication
from engine.simulation.records import Acted, AskChanged, Record


def test_each_record_is_a_line_with_its_time() -> None:
    """A line is a pair of epoch ms and a record tagged by its kind."""
    lines = encode_records(7, [AskChanged(1, 20, 1024, 1, 5), Acted(KillApplication(1), (7, 9))])

    assert lines == (
        b'[7,{"kind":"Asked","application":1,"priority":20,"memory_mb":1024,"vcores":1,"count":5}]\n'
        b'[7,{"kind":"Acted","action":{"kind":"KillApplication","application":1},"position":[7,9]}]\n'
    )


def test_records_come_back_as_they_were() -> None:
    spec = SparkSpec(type="spark", user="ann", executors=2, executor=Size(memory_mb=1024))
    records: list[Record] = [
        Allocated((1, 1, 2), "n1:8041", 1, 1024, 1),
        Acted(SubmitApplication.of(spec), (7, 4, 2)),
    ]

    lines = encode_records(7, records).splitlines()

    assert [msgspec.json.decode(line, type=tuple[int, Record]) for line in lines] == [(7, each) for each in records]
