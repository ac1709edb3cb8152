"""A team tests a change of its scheduler like code: lint by rule, what the change does to whom, forms for its forge."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.dom.minidom import parseString

import pytest

from tests.invoke import Result, said
from tests.json_schema import faults
from tests.stored import golden

CASES = Path(__file__).parents[1] / "cases"
CHECK = CASES / "check"
CAPACITY = "capacity-scheduler.xml"

TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "$defs": {
        "run": {
            "type": "object",
            "required": ["tool"],
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "properties": {"driver": {"$ref": "#/$defs/driver"}},
                },
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
        "driver": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "version": {"type": "string"},
                "informationUri": {"type": "string", "format": "uri"},
                "rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}},
            },
        },
        "rule": {
            "type": "object",
            "additionalProperties": False,
            "required": ["id"],
            "properties": {
                "id": {"type": "string"},
                "shortDescription": TEXT,
                "help": TEXT,
                "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}},
            },
        },
        "result": {
            "type": "object",
            "additionalProperties": False,
            "required": ["message"],
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": LEVEL,
                "message": TEXT,
                "partialFingerprints": {"type": "object"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "suppressions": {"type": "array", "items": {"$ref": "#/$defs/suppression"}},
            },
        },
        "location": {
            "type": "object",
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation", "region"],
                    "properties": {
                        "artifactLocation": {"type": "object", "properties": {"uri": {"type": "string"}}},
                        "region": {"type": "object", "properties": {"startLine": {"type": "integer", "minimum": 1}}},
                    },
                }
            },
        },
        "suppression": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"enum": ["inSource", "external"]}, "justification": {"type": "string"}},
        },
    },
}
"""The parts of the schemas of SARIF 2.1.0 and of GitLab's Code Quality reports that we write."""
GITLAB: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "minLength": 1},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def ran(*arguments: str | Path) -> Result:
    return said("check", map(str, arguments))


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the folder `conf`, in which there is a warning of a stopped queue and of a misspelt key."""
    shutil.copytree(CHECK / "prod-dev-capacity" / "new", tmp_path / "conf")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "options"), [("reservation-deadlock", ("--until", "12:00")), ("prod-dev-capacity", ())]
)
def test_a_change_is_told_with_whom_it_harms(
    case: str, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each queue gets, what is refused, and what the workload of the scenario shows; the exit code fails a job."""
    monkeypatch.chdir(CHECK / case)
    code, out, _ = ran("new", "--against", "old", "--workload", case, *options)

    assert (code, out) == (1, golden(f"check-{case}", out.removesuffix("\n")) + "\n")


def test_an_element_that_changes_is_told_with_its_line_and_of_what_is_refused_nothing(tmp_path: Path) -> None:
    old, new = tmp_path / "old.xml", tmp_path / "new.xml"
    for file, weight in ((old, 1), (new, 9)):
        file.write_text(f'<allocations><queue name="a">\n<weight>{weight}</weight></queue></allocations>')

    code, out, _ = ran(new, "--against", old)
    assert (code, "new.xml:2  root.a.weight  1 -> 9  live" in out) == (0, True), out
    new.write_text(
        '<allocations><queue name="a">\n<minResources>1024 mb, 1 vcores</minResources></queue></allocations>'
    )
    code, out, _ = ran(new, "--against", old)  # What a queue keeps of it is told beside its share; 1 is the default
    assert "1 key changed, 1 written otherwise that mean the same, " in out
    assert re.search(r"root\.a +[\d.]+ % +minimum share none -> 1024 mb, 1 vcores", out)
    new.write_text("<allocations>")
    code, out, _ = ran(new, "--against", old)
    assert (code, f"refuses {new}, so nothing is compared" in out, "root.a" in out) == (1, True, False), out
    old.write_text("<allocations>")
    code, out, _ = ran(new, "--against", old)
    assert (code, "nothing is compared    exit code 1" in out) == (1, True), out


def test_a_harm_that_is_meant_is_accepted_and_promises_are_judged(tmp_path: Path) -> None:
    """An ask that is to be refused is no harm; a guarantee that is too small is one."""
    promises = tmp_path / "expect.toml"
    promises.write_text(
        'asks = [{ memory = "64000m", is = "refused", because = "larger than half a node" }]\n'
        'waits = [{ queue = "root.etl", measure = "p95_wait", at_most = "5m" }]\n'
        'expectations = [{ of = "cluster", what = "nodes_reserved", at_most = 6 }]\n'
    )
    case = CHECK / "reservation-deadlock"
    asked = (case / "new", "--against", case / "old", "--workload", "reservation-deadlock", "--until", "10:00")
    code, out, _ = ran(*asked, "--expect", promises)
    assert code == 0, out
    assert "3 of 3 promises kept" in out
    assert "larger than half a node" in out

    promises.write_text('guarantees = [{ queue = "root.dev.eng", at_least = "30 %" }]\nsubmit = []\n')
    case = CHECK / "prod-dev-capacity"
    assert ran(case / "new", "--against", case / "old", "--expect", promises)[0] == 2  # an unknown table
    promises.write_text('guarantees = [{ queue = "root.dev.eng", at_least = "30 %" }]\n')
    code, out, _ = ran(case / "new", "--against", case / "old", "--expect", promises)
    assert code == 1
    assert "it is guaranteed 28 %" in out


def test_the_same_meaning_is_no_change(tmp_path: Path) -> None:
    """Order, blanks, comments and stated defaults are no change; nobody is harmed by a warning that was there."""
    old = CHECK / "prod-dev-capacity" / "old" / CAPACITY
    head, *rows = old.read_text().replace("<value>40</value>", "<value> 40 </value>").splitlines()[1:-1]
    (tmp_path / CAPACITY).write_text("\n".join([head, "<!-- sorted -->", *reversed(rows), "</configuration>"]))
    code, out, _ = ran(tmp_path, "--against", old.parent)

    assert code == 0
    assert "0 keys changed" in out
    assert "no harm" in out


def test_lint_has_a_rule_a_place_and_a_way_out(cluster: Path) -> None:
    """Warnings pass, and fail where a project is strict; a file that Hadoop refuses is an error with its class."""
    code, out, _ = ran("conf")
    assert code == 0
    assert re.search(r"warning +capacity-scheduler.xml:11 +unknown-key +root.dev.eng.user-limt-factor", out)
    assert "did you mean user-limit-factor?" in out
    assert ran("conf", "--strict")[0] == 1

    file = cluster / "conf" / CAPACITY
    file.write_text(file.read_text().replace("<value>60</value>", "<value>61</value>"))
    code, out, _ = ran("conf")
    assert code == 1
    assert re.search(r"error +capacity-scheduler.xml:3 +sum-of-capacities +root.queues", out)
    assert "ParentQueue#setChildQueues" in out
    assert ran("nothing-there")[0] == 2


@pytest.mark.parametrize(("threshold", "warned"), [("1", []), ("1.01", ["threshold-above-one"])])
def test_warnings_stand_beside_errors(tmp_path: Path, threshold: str, warned: list[str]) -> None:
    queue = '<queue name="a"><weight>two</weight><maxAMShare>50</maxAMShare></queue>'
    (tmp_path / "fair-scheduler.xml").write_text(f"<allocations>{queue}</allocations>", encoding="utf-8")
    key = "yarn.scheduler.fair.locality.threshold.node"
    stated = {"yarn.resourcemanager.scheduler.class": "a.FairScheduler", key: threshold}
    rows = "".join(f"<property><name>{key}</name><value>{text}</value></property>" for key, text in stated.items())
    (tmp_path / "yarn-site.xml").write_text(f"<configuration>{rows}</configuration>", encoding="utf-8")

    told = said("check", [str(tmp_path)]).stdout
    assert re.findall(r" (?:error|warning) .*:\d+ +(\S+)", told) == ["not-a-number", "fraction-above-one", *warned]


def test_what_is_ignored_needs_a_reason_and_something_to_ignore(cluster: Path) -> None:
    """A comment before the element, a rule of the project; either is a warning where it hits nothing."""
    file = cluster / "conf" / CAPACITY
    stopped = next(line for line in file.read_text().splitlines() if "STOPPED" in line)
    comment = "<!-- schedlab: ignore stopped-queue: closed for the migration -->"
    file.write_text(file.read_text().replace(stopped, f"{comment}\n{stopped}"))
    out = ran("conf")[1]
    assert "1 ignored" in out
    assert "stopped-queue" not in out

    file.write_text(file.read_text().replace(": closed for the migration", ""))
    out = ran("conf")[1]
    assert "ignores stopped-queue without a reason" in out
    assert re.search(r"warning +capacity-scheduler.xml:14 +stopped-queue", out)

    (cluster / ".schedlab.toml").write_text(
        '[check]\nstrict = true\nignore = ["unknown-key: of a later release", "acl-off: by the proxy"]\n'
    )
    code, out, _ = ran("conf")
    assert code == 1
    assert "ignores acl-off, and nothing here breaks that rule" in out
    assert not re.search("warning .* unknown-key", out)
    (cluster / ".schedlab.toml").write_text('[check]\nignore = ["unknown-key"]\nstrikt = true\n')
    assert "strict" in ran("conf")[2]


def test_forges_read_what_is_found(cluster: Path) -> None:
    """SARIF and Code Quality as their schemas want them, workflow commands on one line each, JUnit as XML."""
    file = cluster / "conf" / CAPACITY
    text = file.read_text().replace("<configuration>", "<configuration>\n<!-- schedlab: ignore unknown-key: x -->")
    file.write_text(text)
    code, out, _ = ran("conf", "-o", "github", "-o", "sarif:a.sarif", "-o", "gitlab:a.json", "-o", "junit:a.xml")

    assert code == 0
    assert out.splitlines()[0].startswith(f"::warning file=conf/{CAPACITY},line=12,title=unknown-key::")
    sarif = json.loads(Path("a.sarif").read_text())
    assert faults(sarif, SARIF, SARIF) == []
    (run,) = sarif["runs"]
    assert {each["ruleId"] for each in run["results"]} == {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert faults(json.loads(Path("a.json").read_text()), GITLAB, GITLAB) == []
    marks = [each["fingerprint"] for each in json.loads(Path("a.json").read_text())]
    assert parseString(Path("a.xml").read_text()).getElementsByTagName("testcase")

    file.write_text(text.replace("<configuration>", "<configuration>\n"))
    assert ran("conf", "-o", "gitlab:a.json")[0] == 2  # it is there
    assert ran("conf", "-o", "gitlab:a.json", "-f")[0] == 0
    assert [each["fingerprint"] for each in json.loads(Path("a.json").read_text())] == marks


def test_old_is_a_revision_or_a_scenario(cluster: Path) -> None:
    """`git:REF` is the same folder there; a scenario states its configuration."""
    old = CHECK / "prod-dev-capacity" / "old" / CAPACITY
    new = (cluster / "conf" / CAPACITY).read_text()
    (cluster / "conf" / CAPACITY).write_text(old.read_text())
    for words in ("init -q", "add conf", "-c user.name=a -c user.email=a@b commit -qm first"):
        subprocess.run(["git", *words.split()], cwd=cluster, check=True)
    (cluster / "conf" / CAPACITY).write_text(new)

    code, out, _ = ran("conf", "--against", "git:HEAD")
    assert code == 1
    assert "conf against git:HEAD: 9 keys changed" in out
    assert re.search(r"root\.dev\.science +30 -> 12 %", out)
    assert ran("conf", "--against", "git:nowhere")[0] == 2
    out = ran("conf", "--against", "prod-dev-capacity")[1]
    assert re.search(r"root\.prod +40 -> 60 %", out)


def test_scenarios_and_drills_are_checked_too() -> None:
    """In one call with files; the answer as JSON names all."""
    code, out, _ = ran("pattern-am-only", CASES / "lint" / "misspelt-setting" / "day.toml", "-o", "json")
    found = json.loads(out)

    assert code == 1
    assert [each["kind"] for each in found["items"]] == ["scenario", "scenario"]
    assert found["items"][0]["problems"] == []
    assert found["items"][1]["problems"][0]["severity"] == "error"
