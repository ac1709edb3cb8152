"""The table of hosts and racks."""

from engine.formats.hadoop_configuration import DEFAULT_RACK, read_topology


def test_hosts_are_in_the_racks_of_the_table() -> None:
    """Blanks divide the columns, comments do not count, other hosts are in the default rack."""
    topology = read_topology("# host rack\nn1 /r1\n\n  n2\t/r2  \n")

    assert [topology.rack(host) for host in ("n1", "n2", "n3")] == ["/r1", "/r2", DEFAULT_RACK]
    assert topology.warnings == ()


def test_what_is_odd_in_a_table_is_said() -> None:
    topology = read_topology("n1 /r1\nn1 r2\nn3\n", "t")

    assert topology.racks == {"n1": "r2"}
    assert [str(warning) for warning in topology.warnings] == [
        "t:2: n1: given again; line 1 has no effect",
        "t:2: n1: the rack r2 does not begin with / (/r2 is meant)",
        "t:3: does not have two columns, host and rack; Hadoop ignores the line",
    ]
