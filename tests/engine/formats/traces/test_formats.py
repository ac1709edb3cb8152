"""Every trace is recognised by its content; anything else is refused by the name of what it is."""

import gzip
import io
import json
import re
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigError, Problem
from engine.formats.traces.formats import BY_NAME
from tests.engine.formats.traces.samples import ALL, imported, packed


@pytest.mark.parametrize("name", ALL)
def test_a_trace_is_recognised(name: str) -> None:
    for data in (ALL[name].encode(), packed(ALL[name])):
        report = imported(data)[1]
        assert (report.files[0].format, report.faults) == (name, 0)


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "an empty file"),
        (b"PAR1xxxx", "a Parquet file"),
        (b"<!DOCTYPE html><p>", "HTML"),
        (b'<?xml version="1.0"?>\n<configuration>', "a Hadoop configuration"),
        (b"<app/>", "XML"),
        (b'{"clusterInfo": {"id": 1}}', "JSON with the keys clusterInfo, id"),
        (b"[1]", "JSON"),
        (b"a,b,c\n1,2,3\n", "a table with the columns a,b,c"),
        (b"a = 1\n", "a TOML file"),
        (b"ins_1,M1,j_7,1,Terminated,5,9,m_1,1,1,90,95,0.1,0.2\n", "a batch_instance table of Alibaba"),
        (b"0,,3418309,0,70s3v5qRyCO=,3,IHgtoxEBuUT=,wJRNnGQ4Sag=\n", "a job_events table of Google"),
        (b"one\0two", "a binary file"),
        (b"Dear all,\n", "a text that begins 'Dear all,'"),
        (_tar(), "a tar archive"),
    ],
)
def test_anything_else_is_refused_by_its_name(data: bytes, name: str) -> None:
    for words, given_data in ((name, data), (f"{name} packed with gzip", gzip.compress(data))):
        with pytest.raises(ConfigError) as error:
            imported(given_data)
        assert error.value.problems[0].message == f"is {words}, no trace"


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (b"", "is an empty file, no trace", f"read are: {', '.join(BY_NAME)}"),
        (b"PK\x03\x04", "is a ZIP archive, no trace", "unpack it first"),
        (b"a,b" + b"c" * 57, f"is a text that begins 'a,b{'c' * 29}...{'c' * 5}', no trace", None),
        (b"a,b," + b"c" * 56, f"is a table with the columns a,b,{'c' * 56}, no trace", None),
        (b"a,b," + b"c" * 57, f"is a table with the columns a,b,{'c' * 45}...{'c' * 8}, no trace", None),
        (b"c" * 40, f"is a text that begins {'c' * 40!r}, no trace", None),
        (b'{"a":1,"b":1,"c":1,"a":1,"d":1,"e":1}', "is JSON with the keys a, b, c, d, no trace", None),
    ],
)
def test_what_is_no_trace_has_a_way_out(data: bytes, message: str, hint: str | None) -> None:
    with pytest.raises(ConfigError) as error:
        imported(data)

    assert error.value.problems == (Problem(message, "trace", hint=hint or f"read are: {', '.join(BY_NAME)}"),)


@given(st.sampled_from(sorted(ALL)), st.binary(max_size=300))
def test_random_bytes_crash_no_reader(name: str, data: bytes) -> None:
    for each in (data, b"\x1f\x8b" + data, packed(ALL[name])[: len(data)]):
        assert imported(each, name)[1].files


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.long
@given(st.sampled_from(["sls", "synth", "rumen", "apps", "spark", "sls-nodes", "jhist", "ats"]), st.data())
def test_no_values_crash_a_reader(name: str, data: st.DataObject) -> None:
    pieces = re.split(r'(?<=: )("[^"]*"|-?\d+|\[|\{)', ALL[name])
    place = data.draw(st.integers(0, len(pieces) - 1))
    pieces[place] = json.dumps(data.draw(JSON))
    report = imported("".join(pieces), name)[1]

    assert report.files
