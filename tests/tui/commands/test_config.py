"""`schedlab config`."""

import json
from pathlib import Path

import pytest

from tests.engine.formats.capacity_files import read
from tests.invoke import said
from tui.report.configuration_text import WIDTH, described

GOOD = """<allocations>
<queue name="a"><weight>2</weight></queue>
<user name="u"><maxRunningApps>3</maxRunningApps></user>
</allocations>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.xml").write_text(GOOD)
    (tmp_path / "site.xml").write_text("<configuration/>")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bad.xml").write_text(
        '<allocations>\n<queue name="a.b"><weight>x</weight></queue></allocations>'
    )
    (tmp_path / "sub" / "directory.xml").mkdir()
    (tmp_path / "racks").write_text("n1 /r1\nodd\n")
    return tmp_path


def run(*arguments: object) -> tuple[int, str, str]:
    paths = [str(each) for each in arguments if isinstance(each, Path)]
    options = [str(each) for each in arguments if not isinstance(each, Path)]
    result = said("get", [",".join(paths), "settings", *options])
    return result.exit_code, result.stdout, result.stderr


def test_a_file_is_shown_with_values_and_origins(folder: Path) -> None:
    code, out, err = run(folder / "good.xml")

    assert (code, err) == (0, "")
    assert f"good.xml is {folder / 'good.xml'}\n" in out
    assert "good.xml as Hadoop 2.7 reads it: 3 queues\n" in out
    assert "root.a  (leaf, good.xml:2)\n  weight  2  good.xml:2\n  by default: minResources=none" in out
    assert "  1. specified\n  2. user\n" in out
    assert out.endswith("\nno warnings\n")


def test_all_files_of_a_cluster_are_shown(folder: Path) -> None:
    code, out, _ = run(folder / "racks", folder / "good.xml", folder / "site.xml")

    assert code == 0
    assert [line for line in out.splitlines() if line[:1].isupper()] == [
        "Settings",
        "Defaults",
        "Most running applications of single users",
        "Placement rules  (from the settings)",
        "Topology",
    ]
    assert "1 warning\n" in out


def test_a_refusal_as_json_has_every_problem(folder: Path) -> None:
    code, out, err = run("-o", "json", "--release", "3.4", folder / "sub" / "bad.xml")

    assert (code, err) == (2, "")
    told = json.loads(out)
    assert told["era"] == "3.4"
    assert [(each["line"], each["key"]) for each in told["refused"]] == [(2, "root.a.b"), (2, "root.a.b.weight")]


def test_every_problem_of_a_refused_file_is_told(folder: Path) -> None:
    code, out, err = run(folder / "sub" / "bad.xml")

    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"schedlab: {folder}/sub/bad.xml:2: root.a.b: the queue name 'a.b' must not contain a period"
        " (nest queues instead)",
        f"schedlab: {folder}/sub/bad.xml:2: root.a.b.weight: 'x' is not a number",
    ]


def test_a_folder_without_a_cluster_is_checked_file_by_file(folder: Path) -> None:
    done = said("check", [str(folder)])
    lines = done.stdout.replace(f"{folder}/", "").splitlines()

    assert done.exit_code == 1
    assert [line for line in lines if not line.startswith(" ")] == [
        "good.xml: good; read by Hadoop 2.7 (FairScheduler), 1 queue",
        "site.xml: good; read by Hadoop 2.7",
        "sub/bad.xml: 2 errors; read by Hadoop 2.7",
        "3 checked: 2 errors, 0 warnings, 0 notes",
    ]
    assert any("must not contain a period" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([Path("./nowhere.xml")], "nowhere.xml"),
        ([Path("/nowhere/conf")], "/nowhere/conf"),
    ],
)
def test_missing_input_is_told(arguments: list[Path], told: str) -> None:
    code, out, err = run(*arguments)

    assert (code, out, told in err) == (2, "", True)


def test_properties_of_the_server_can_be_given(folder: Path) -> None:
    key = "yarn.scheduler.fair.max.assign"
    (folder / "site.xml").write_text(
        f"<configuration><property><name>{key}</name><value>${{most}}</value></property></configuration>"
    )

    code, out, _ = run("-D", "most=3", "-o", "json", folder / "site.xml")

    assert code == 0
    assert [each["text"] for each in json.loads(out)["settings"] if each["name"] == key] == ["3"]
    assert run("-D", "most", folder / "site.xml") == (
        2,
        "",
        "schedlab: -D: 'most' is not NAME=VALUE (e.g. -D user.name=yarn)\n",
    )


def test_witnesses_are_written_and_played(tmp_path: Path) -> None:
    """A pair for each rule that can be shown; what nobody waits for is said."""
    path = tmp_path / "cs.xml"
    value = "<property><name>yarn.scheduler.capacity.{}</name><value>{}</value></property>"
    lines = [value.format("root.queues", "a"), value.format("root.a.capacity", "100")]
    path.write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    result = said("check", [str(path), "--nodes", "2x8g/8", "-o", f"witness:{tmp_path / 'w'}"])

    assert result.exit_code == 0
    assert sorted(each.name for each in (tmp_path / "w").iterdir()) == [
        "no-default-queue-mended.toml",
        "no-default-queue.toml",
        "reservations-mended.toml",
        "reservations.toml",
    ]
    assert "no-default-queue.toml: simulated, the application gets nothing" in result.output
    assert "no example scenario for vcores-ignored: it makes no application wait" in result.output


@pytest.mark.parametrize("given", ["4", "x8g", "4x", "0x8g/8", "4x8q/8", "4x8g/0"])
def test_nodes_that_are_none_are_refused(tmp_path: Path, given: str) -> None:
    path = tmp_path / "cs.xml"
    path.write_text("<configuration/>")
    result = said("get", [str(path), "settings", "--nodes", given])

    assert (result.exit_code, "e.g. 40x128g/32" in result.output) == (2, True)


# Configuration files as text of 80 columns.


def text_of(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> str:
    return "\n".join(described(read(folder, *properties, era=era)))


def test_no_line_is_wider_than_80_columns(tmp_path: Path) -> None:
    people = ",".join(f"somebody{number}" for number in range(20))
    text = text_of(
        tmp_path,
        ("root.a.acl_submit_applications", people),
        ("root.a.acl_submit_jobs", "*"),
        ("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"),
        ("per-node-heartbeat.maximum-offswitch-assignments", "1"),
    )
    legend, *lines = text.splitlines()
    assert legend.startswith("cs.xml is ")
    assert max(map(len, lines)) <= WIDTH
    assert "DominantResourceCalculator  cs.xml:7" in text


@pytest.mark.parametrize(("era", "line"), [("2.7", "4 instead of 32"), ("3.4", "32 instead of 4")])
def test_values_of_the_other_release_are_shown_once(tmp_path: Path, era: str, line: str) -> None:
    text = text_of(tmp_path, ("node-locality-delay", "40"), era=era)
    other = {"2.7": "3.4", "3.4": "2.7"}[era]
    assert f"Otherwise in Hadoop {other}\n  maximum-allocation-vcores {line} (every queue)\n\n" in text
