"""Whatever is in a log or in the files of kept polls: it is shown, or refused in a sentence."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.formats.traces.rm_log import timeline_of
from engine.observe.history import LOGGED
from engine.recorded.log_series import LogSeries
from engine.recorded.polls_writer import open_polls
from tests.engine.formats.traces.samples import source
from tests.engine.recorded.logs import ACCEPTED, ASSIGNED, CLASS, RESERVED, STATE
from tests.engine.recorded.polls import keep, polled

NUMBERS = ("0001", "0002")
NODES = ("n1", "n2")
STATES = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINAL_SAVING", "FINISHING", "FINISHED", "KILLED")
ENDED = "rmcontainer.RMContainerImpl: container_17_{}_01_{:06d} Container Transitioned from RUNNING to COMPLETED"
JOINED = (
    "ResourceTrackerService: NodeManager from node n1(cmPort: 1 httpPort: 2) registered with capability:"
    " <memory:8192, vCores:4>, assigned nodeId n1:1"
)
MESSAGES = st.one_of(
    st.builds(STATE.format, st.sampled_from(NUMBERS), st.sampled_from(STATES), st.sampled_from(STATES)),
    st.builds(ACCEPTED.format, st.sampled_from(NUMBERS), st.sampled_from(["root.etl", "adhoc"])),
    st.builds(ASSIGNED.format, st.sampled_from(NUMBERS), st.integers(1, 3), st.integers(0, 4096)),
    st.builds(ENDED.format, st.sampled_from(NUMBERS), st.integers(1, 3)),
    st.builds(RESERVED.format, st.sampled_from(NODES), st.sampled_from(NUMBERS)),
    st.just(JOINED),
    st.sampled_from(["rmnode.RMNodeImpl: n1:1 Node Transitioned from RUNNING to LOST", "ResourceManager: Using"]),
    st.just("ResourceManager: Transitioning to active state"),
)


@given(st.lists(MESSAGES, min_size=1, max_size=25))
@settings(max_examples=40, deadline=None)
def test_graphs_and_snapshots_of_any_log_agree(messages: list[str]) -> None:
    """At every instant at which a line stands, in whichever order what lines come."""
    text = "\n".join(f"2017-11-11 09:00:{n:02d},000 {CLASS}.{words}" for n, words in enumerate(messages))
    try:
        series = LogSeries("any.log", timeline_of([source(text)]))
    except ConfigError:
        return
    for time_ms in range(series.first_ms, series.now_ms + 1, 1000):
        header, reading = series.snapshot_at(time_ms).header, series.history.cluster.at(time_ms)
        values = dict(zip(LOGGED, reading or (0,) * len(LOGGED), strict=True))

        assert (values["used_memory_mb"], values["containers"], values["nodes"]) == (
            header.used[0],
            header.containers,
            header.nodes,
        )
        assert (values["applications_running"], values["applications_pending"]) == (
            header.applications_running,
            header.applications_pending,
        )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[Path, bytes]]:
    """The directory of runs, the name of kept polls, and the bytes of their files."""
    root = tmp_path_factory.mktemp("runs")
    found = keep(root, polled()[:8])
    found.writer.finish()
    return root, found.writer.name, {each: each.read_bytes() for each in sorted(found.path.iterdir())}


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_are_refused_in_a_sentence(
    kept: tuple[Path, str, dict[Path, bytes]], data: st.DataObject
) -> None:
    root, name, files = kept
    for path, content in files.items():
        path.write_bytes(content)
    path = data.draw(st.sampled_from(sorted(files)))
    whole = files[path]
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    path.write_bytes(whole[:begin] + data.draw(st.binary(max_size=40)) + whole[end:])
    with suppress(ConfigError):
        polls = open_polls(root, name)
        for time_ms in (polls.first_ms, polls.now_ms):
            assert polls.snapshot_at(time_ms).header.nodes == 12
            assert polls.records_until(time_ms) is not None
