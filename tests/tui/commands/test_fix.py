"""`schedlab fix`."""

import json

from tests.invoke import Result, said


def run(*arguments: str) -> Result:
    unbounded = [] if "--budget" in arguments else ["--budget", "0"]
    return said("fix", [*arguments, "--workers", "1", *unbounded])


def test_it_tells_what_helps_and_what_can_be_done_now_first(stuck: str) -> None:
    code, out, _ = run(stuck, "--at", "+60s", "first")

    assert code == 0
    assert "0001 at 00:01:00: never gets another container without an act" in out
    kill, node = (out.index(each) for each in ("kill application 2 (second)", "add a node of 6144 MB and 1 vcore"))
    assert out.index("can be done now") < kill < out.index("need hardware") < node
    assert "frees 6G/1c; loses 1 container, " in out
    assert "no help: switch preemption on" in out


def test_of_several_asks_the_slowest_is_meant() -> None:
    _, out, _ = run("tests/cases/recorded/why/half-blocked.toml", "--at", "100", "0002", "--budget", "1s")

    assert "0002 at 00:01:40: its slowest ask gets no further container by " in out


def test_the_same_as_json(stuck: str) -> None:
    code, out, _ = run(stuck, "--at", "+60s", "first", "-o", "json")
    answer = json.loads(out)
    kill = next(each for each in answer["remedies"] if each["kind"] == "kill")

    assert (code, answer["schema"], answer["never"], answer["tried"]) == (0, "fix/1", True, answer["of"])
    assert kill["step"] == {"do": "kill", "application": kill["application"], "at": 60.001}
    assert kill["starts"][0]["application"].endswith("0001")


def test_without_an_application_all_that_are_stuck_are_meant(stuck: str) -> None:
    _, out, _ = run(stuck, "--at", "+60s")

    assert "2 waiting, 0001 longest at 00:01:00" in out
    assert "starts 2 of 2 by" in out


def test_a_remedy_is_applied_and_what_was_promised_is_kept(stuck: str) -> None:
    entries = json.loads(run(stuck, "--at", "+60s", "first", "-o", "json")[1])["remedies"]
    node = next(each for each in entries if each["kind"] == "add-node")
    options = ("--at", "+60s", "first", "--apply", str(node["number"]))
    (start,) = json.loads(run(stuck, *options, "-o", "json")[1])["applied"]["starts"]
    text = run(stuck, *options)[1]

    assert start["at"] == start["promised"] == node["first"]
    assert "applied   add a node of 6144 MB and 1 vcore" in text
    assert 'script = [{ do = "add-node", host = "added1", memory = 6144, vcores = 1, at = 60.001 }]' in text
