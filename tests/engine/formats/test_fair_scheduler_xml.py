"""fair-scheduler.xml: what is read, and what is said about it."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_listing import queue_definition
from engine.formats.xml import Includer
from engine.model.request import Resource
from engine.schedulers.fair.settings import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS, FairAllocation

EVERYTHING = """<?xml version="1.0"?>
<allocations>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queueMaxAppsDefault>50</queueMaxAppsDefault>
  <queueMaxAMShareDefault>0.25</queueMaxAMShareDefault>
  <defaultMinSharePreemptionTimeout>30</defaultMinSharePreemptionTimeout>
  <defaultFairSharePreemptionTimeout>60</defaultFairSharePreemptionTimeout>
  <defaultFairSharePreemptionThreshold>0.75</defaultFairSharePreemptionThreshold>
  <user name="alice"><maxRunningApps>9</maxRunningApps></user>
  <queue name="prod">
    <minResources>1024 mb, 1 vcores</minResources>
    <maxResources>8192 mb, 8 vcores</maxResources>
    <maxRunningApps>3</maxRunningApps>
    <maxAMShare>0.5</maxAMShare>
    <weight>2.5</weight>
    <minSharePreemptionTimeout>1</minSharePreemptionTimeout>
    <fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>
    <fairSharePreemptionThreshold>0.5</fairSharePreemptionThreshold>
    <schedulingPolicy>fifo</schedulingPolicy>
    <aclSubmitApps>alice dev</aclSubmitApps>
    <aclAdministerApps> ops</aclAdministerApps>
  </queue>
  <queue name="dev"><queue name="eng"/><queue name="science"/></queue>
  <queue name="users" type="parent"/>
  <queue name="plan"><reservation/></queue>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="nestedUserQueue"><rule name="primaryGroup" create="false"/></rule>
    <rule name="default" queue="dev.eng"/>
  </queuePlacementPolicy>
</allocations>
"""


def allocations(body: str) -> str:
    return f"<allocations>\n{body}\n</allocations>"


def read(body: str) -> FairAllocation:
    return read_fair_scheduler(allocations(body)).allocation


def warnings(body: str) -> list[str]:
    return [str(warning) for warning in read_fair_scheduler(allocations(body), file="f").warnings]


def problems(body: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_fair_scheduler(allocations(body), file="f")
    return [str(problem) for problem in caught.value.problems]


def test_every_limit_of_a_queue_is_read() -> None:
    allocation = read_fair_scheduler(EVERYTHING).allocation
    queue = "root.prod"

    assert (allocation.min_share(queue), allocation.max_share(queue)) == (Resource(1024, 1), Resource(8192, 8))
    assert (allocation.queue_max_apps(queue), allocation.max_am_share(queue), allocation.weight(queue)) == (3, 0.5, 2.5)
    assert (allocation.min_share_timeout_ms(queue), allocation.fair_share_timeout_ms(queue)) == (1000, 2000)
    assert (allocation.fair_share_threshold(queue), allocation.policy(queue)) == (0.5, "fifo")
    assert str(allocation.acl(queue, SUBMIT_APPLICATIONS)) == "alice dev"
    assert str(allocation.acl(queue, ADMINISTER_QUEUE)) == " ops"


def test_every_default_is_read() -> None:
    allocation = read_fair_scheduler(EVERYTHING).allocation

    assert (allocation.user_max_apps("bob"), allocation.user_max_apps("alice")) == (5, 9)
    assert (allocation.queue_max_apps("root.dev"), allocation.max_am_share("root.dev")) == (50, 0.25)
    assert allocation.policy("root.dev") == "drf"
    assert (allocation.min_share_timeout_ms("root"), allocation.fair_share_timeout_ms("root")) == (30_000, 60_000)
    assert allocation.fair_share_threshold("root") == 0.75


def test_queues_are_leaves_or_parents_in_hash_order() -> None:
    """Childless ones are leaves unless typed or reservable; the order is that of a Java HashSet."""
    allocation = read_fair_scheduler(EVERYTHING).allocation

    assert allocation.configured_leaves == ("root.dev.eng", "root.prod", "root.dev.science")
    assert allocation.configured_parents == ("root.dev", "root.users", "root.plan")


def test_old_names_are_read_and_said() -> None:
    body = """<pool name="a">
    <schedulingMode>fifo</schedulingMode>
    <pool name="b"/>
    </pool>
    <defaultQueueSchedulingMode>drf</defaultQueueSchedulingMode>
    <fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>"""

    allocation = read(body)

    assert (allocation.policy("root.a"), allocation.default_policy) == ("fifo", "drf")
    assert allocation.fair_share_timeout_ms("root") == 5000
    assert [line for line in warnings(body) if "old name" in line] == [
        "f:2: pool: <pool> is an old name that Hadoop still reads (queue)",
        "f:3: root.a.schedulingMode: <schedulingMode> is an old name that Hadoop still reads (schedulingPolicy)",
        "f:4: root.a.pool: <pool> is an old name that Hadoop still reads (queue)",
        "f:6: defaultQueueSchedulingMode: <defaultQueueSchedulingMode> is an old name that Hadoop still reads"
        " (defaultQueueSchedulingPolicy)",
        "f:7: fairSharePreemptionTimeout: <fairSharePreemptionTimeout> is an old name that Hadoop still reads"
        " (defaultFairSharePreemptionTimeout)",
    ]


def test_the_old_timeout_counts_only_where_none_is_given_before() -> None:
    """A default before it wins and its text is not even read; one after it replaces it."""
    new = "<defaultFairSharePreemptionTimeout>9</defaultFairSharePreemptionTimeout>"

    before = read(new + "<fairSharePreemptionTimeout>x</fairSharePreemptionTimeout>")
    after = read("<fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>" + new)

    assert [allocation.fair_share_timeout_ms("root") for allocation in (before, after)] == [9000, 9000]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<foo/>", "f:2: foo: unknown element <foo>: Hadoop ignores it"),
        ("<userMaxAppDefault/>", "Hadoop ignores it (did you mean userMaxAppsDefault?)"),
        ("<userMaxJobsDefault/>", "(a MapReduce 1 name; userMaxAppsDefault is meant)"),
        (
            '<queue name="a"><wieght>1</wieght></queue>',
            "root.a.wieght: unknown element <wieght>: Hadoop ignores it (did",
        ),
        ('<queue name="a"><maxChildResources/></queue>', "(read by Hadoop 3 only)"),
        ('<queue name="a"><e name="b"/></queue>', "f:2: root.a.e: <e> is taken for <queue>, as it ends like it"),
        ('<queue name="a" nmae="b"/>', "root.a: unknown attribute nmae: Hadoop ignores it (did you mean name?)"),
        ('<queue name="a" type="leaf"/>', 'root.a: type="leaf" has no effect (only type="parent" is known)'),
        ("<queue/>", "f:2: root.: the queue has no name"),
        ("<user><maxRunningApps>1</maxRunningApps></user>", "user: the user has no name"),
        ('<user name="u"><maxApps>1</maxApps></user>', "user u.maxApps: unknown element <maxApps>"),
        (
            '<queue name="a"><weight>1</weight>\n<weight>2</weight></queue>',
            "f:3: root.a.weight: given again; line 2 has",
        ),
        ('<queue name="a"/>\n<queue name="a"/>', "f:3: root.a: the queue stands at line 2 too"),
        (
            '<queue name="a"/><queue name="a"><queue name="b"/></queue>',
            "root.a.queue: is given both as a leaf and as a",
        ),
        ('<queue name="a"><weight>1<x/></weight></queue>', "only the text before the first element or CDATA border"),
        ('<queue name="a"><aclSubmitApps>u, v</aclSubmitApps></queue>', "root.a.aclSubmitApps: 'v' counts as groups"),
        ('<queue name="Root"><queue name="a"/></queue>', "Root.a.queue: becomes root.Root.a, without the values"),
        ("<queuePlacementPolicy><foo name='reject'/></queuePlacementPolicy>", "<foo> is taken for <rule>"),
        ("<queuePlacementPolicy><rule name='reject' create='true'/></queuePlacementPolicy>", "create has no effect on"),
        (
            "<queuePlacementPolicy><rule name='default' crate='1'/></queuePlacementPolicy>",
            "crate of rule default has no",
        ),
        (
            "<queuePlacementPolicy><rule name='default'><x/></rule></queuePlacementPolicy>",
            "<x> inside this rule has no",
        ),
        (
            "<queuePlacementPolicy><rule name='default' create='no'/></queuePlacementPolicy>",
            'create="no" counts as false',
        ),
        (
            "<queuePlacementPolicy><rule name='default' create='false'/></queuePlacementPolicy>",
            'default with create="false" lets applications through',
        ),
        (
            "<queuePlacementPolicy><rule name='nestedUserQueue'><x/><rule name='user' queue='q'/></rule>"
            "<rule name='reject'/></queuePlacementPolicy>",
            "attribute queue of rule user has no effect",
        ),
    ],
)
def test_what_is_said_of_accepted_files(body: str, said: str) -> None:
    assert any(said in line for line in warnings(body)), warnings(body)


def test_all_problems_of_a_file_are_said() -> None:
    body = """<queue name="a.b">
    <weight>x</weight>
    </queue>
    <queue name="c" type="parent">
    <maxResources>4 GB</maxResources>
    <queue name="d"><aclSubmitApps/></queue>
    </queue>
    <queuePlacementPolicy>
    <rule name="specifid"/>
    <rule/>
    </queuePlacementPolicy>
    <userMaxAppsDefault>many</userMaxAppsDefault>"""

    assert problems(body) == [
        "f:13: userMaxAppsDefault: 'many' is not a whole number",
        "f:2: root.a.b: the queue name 'a.b' must not contain a period (nest queues instead)",
        "f:3: root.a.b.weight: 'x' is not a number",
        "f:6: root.c.maxResources: '4 GB' has no number of mb; the form is '1024 mb, 2 vcores'",
        "f:7: root.c.d.aclSubmitApps: has no value",
        'f:5: root.c: type="parent" together with child queues or a reservation is not supported'
        " (a queue with child queues is a parent by itself)",
        "f:10: queuePlacementPolicy.rule: there is no rule 'specifid' (did you mean specified?)",
        'f:11: queuePlacementPolicy.rule: a rule has no name (e.g. <rule name="specified"/>)',
    ]


# Includes inside one folder.

SPACE = 'xmlns:xi="http://www.w3.org/2001/XInclude"'


def write(folder: Path, name: str, body: str, tag: str = "c") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"<{tag} {SPACE}>{body}</{tag}>")
    return path


def shape(folder: Path, body: str) -> str:
    """The tags and texts of a document after its includes are in place."""
    root = Includer(folder).read(write(folder, "top.xml", body))
    return "".join(child if isinstance(child, str) else f"<{getattr(child, 'tag', '?')}>" for child in root.children)


def refusal(folder: Path, body: str) -> str:
    with pytest.raises(ConfigError) as caught:
        Includer(folder).read(write(folder, "top.xml", body))
    return str(caught.value)


def test_a_document_stands_where_it_is_included(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")
    write(tmp_path, "sub/two.xml", '<xi:include href="three.xml"/>', "two")
    write(tmp_path, "sub/three.xml", "3", "three")

    assert shape(tmp_path, 'a<xi:include href="one.xml"/>b<xi:include href="sub/two.xml"/>') == "a<one>b<two>"


def test_a_missing_file_falls_back(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")

    assert shape(tmp_path, 'a<xi:include href="no.xml"><xi:fallback/></xi:include>b') == "ab"
    assert shape(
        tmp_path, '<xi:include href="no.xml"><xi:fallback>x<xi:include href="one.xml"/></xi:fallback></xi:include>'
    ) == ("x<one>")


def test_the_name_space_decides(tmp_path: Path) -> None:
    """Any prefix will do, and an element of another name space is left alone."""
    write(tmp_path, "one.xml", "1", "one")

    body = (
        '<include xmlns="http://www.w3.org/2001/XInclude" href="one.xml"/>'
        '<y:include xmlns:y="http://www.w3.org/2003/XInclude" href="no.xml"/><include href="no.xml"/>'
    )
    assert shape(tmp_path, body) == "<one><y:include><include>"


def test_a_top_element_may_be_an_include(tmp_path: Path) -> None:
    write(tmp_path, "one.xml", "1", "one")
    (tmp_path / "t.txt").write_text("x")
    top = tmp_path / "top.xml"

    top.write_text(f'<xi:include {SPACE} href="one.xml"/>')
    assert Includer(tmp_path).read(top).tag == "one"

    top.write_text(f'<xi:include {SPACE} href="t.txt" parse="text"/>')
    with pytest.raises(ConfigError, match="includes no element in the place of its top element"):
        Includer(tmp_path).read(top)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<xi:include href="no.xml"/>', "not there, and has no fallback"),
        ('<xi:include href="no.xml"><c/></xi:include>', "not there, and has no fallback"),
        ('<xi:include href="top.xml"/>', "top.xml includes itself"),
        ('<xi:include href="../out.xml"/>', "outside the folder"),
        ('<xi:include href="link.xml"/>', "outside the folder"),
        ('<xi:include href="/etc/passwd"/>', "outside the folder"),
        ('<xi:include href="http://x/y.xml"/>', "only files beside this one"),
        ('<xi:include href="file:one.xml"/>', "only files beside this one"),
        ("<xi:include/>", "an include needs an href"),
        ('<xi:include href="one.xml" xpointer="element(/1)"/>', "xpointer is not read"),
        ('<xi:include href="one.xml" parse="csv"/>', "parse is xml or text"),
        ('<xi:include href="broken.xml"/>', "broken.xml:1: not well-formed"),
        ("<xi:fallback/>", "may only stand inside an include"),
        ("<zz:include/>", "prefix zz: of <zz:include> is not declared"),
    ],
)
def test_includes_that_are_refused(tmp_path: Path, body: str, why: str) -> None:
    folder = tmp_path / "in"
    write(folder, "one.xml", "1", "one")
    (folder / "broken.xml").write_text("<a>")
    (tmp_path / "out.xml").write_text("<a/>")
    (folder / "link.xml").symlink_to(tmp_path / "out.xml")

    assert why in refusal(folder, body)


# A queue as its element: what the file states, what was changed since, and what it takes from elsewhere.

FILE = """<allocations>
  <defaultFairSharePreemptionTimeout>90</defaultFairSharePreemptionTimeout>
  <queue name="etl">
    <weight>3</weight>
    <minResources>1024 mb, 2 vcores</minResources>
    <minSharePreemptionTimeout>30</minSharePreemptionTimeout>
    <aclSubmitApps>ann,bob ops</aclSubmitApps>
    <queue name="daily"><maxResources>4096 mb, 4 vcores</maxResources></queue>
  </queue>
</allocations>
"""


def _where(scope: str, name: str, line: int) -> str:
    return f"line {line}"


def _element(path: str, live: FairAllocation | None = None, *, parent: bool = False, era: str = "2.7") -> str:
    loaded = read_fair_scheduler(FILE, era=era)
    return "\n".join(queue_definition(path, live or loaded.allocation, loaded, _where, parent=parent))


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize("path", ["root.etl", "root.etl.daily"])
def test_an_element_says_what_the_file_says(path: str, era: str) -> None:
    """Read again, in a file of its own, it gives the queue the same settings."""
    element = _element(path, parent=path == "root.etl", era=era)
    name = path.rpartition(".")[2]
    again = read_fair_scheduler(f"<allocations>{element}</allocations>", era=era).allocation
    before = read_fair_scheduler(FILE, era=era).allocation

    assert _settings(again, f"root.{name}") == _settings(before, path)


def _settings(allocation: FairAllocation, path: str) -> tuple[object, ...]:
    kept = (allocation.min_share_timeouts_ms, allocation.max_am_shares, allocation.policies)
    limits = (allocation.weight(path), allocation.min_share(path), allocation.max_share(path))
    return (*limits, str(allocation.acl(path, "SUBMIT_APPLICATIONS")), *(values.get(path) for values in kept))


def test_what_the_file_states_stands_beside_its_lines() -> None:
    """In a column of 76 characters at most; a list that keeps no user out is said to stand where it does."""
    assert _element("root.etl", parent=True).splitlines()[:5] == [
        '<queue name="etl" type="parent">',
        "  <weight>3</weight>                                         <!-- line 4 -->",
        "  <minResources>1024 mb, 2 vcores</minResources>             <!-- line 5 -->",
        "  <minSharePreemptionTimeout>30</minSharePreemptionTimeout>  <!-- line 6 -->",
        "  <aclSubmitApps>ann,bob ops</aclSubmitApps>                 <!-- line 7 -->",
    ]


# Allocation files of Spark and of MapReduce 1.


def foreign_warnings(body: str, era: str = "2.7") -> list[str]:
    """What is said of a body, which begins on line 2."""
    loaded = read_fair_scheduler(f"<allocations>\n{body}\n</allocations>", file="f", era=era)
    return [str(each) for each in loaded.warnings]


def pools(*fields: str) -> str:
    return "\n".join(f'<pool name="p{number}">{inside}</pool>' for number, inside in enumerate(fields))


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_a_file_of_spark_has_one_warning(era: str) -> None:
    pool = "<schedulingMode>FAIR</schedulingMode><weight>1</weight><minShare>2</minShare>"
    assert foreign_warnings(pools(pool, pool), era) == [
        "f:1: allocations: this is a file of Spark's fair pools, not of YARN: its 2 pools would become queues "
        "(ignored: minShare (2); read: schedulingMode, weight)"
    ]


def test_a_file_of_mapreduce_1_has_one_warning() -> None:
    body = (
        pools("<minMaps>1</minMaps><maxRunningJobs>2</maxRunningJobs>") + "\n<poolMaxJobsDefault>3</poolMaxJobsDefault>"
    )
    assert foreign_warnings(body) == [
        "f:1: allocations: this is a file of MapReduce 1's fair scheduler, not of YARN: its pool would become queues "
        "(ignored: minMaps, maxRunningJobs, poolMaxJobsDefault)"
    ]
