"""Gives every problem of a configuration the name of a rule, its severity, and the class of Hadoop that does it.

A name is what a project ignores a warning by, so it says what is wrong and hangs on no value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from engine.errors import Problem, nearest
from engine.formats.configuration_files import ConfigurationParts, FileKind, gather_parts, listing_of
from engine.formats.finding import RULES, Finding, LintRule, NodeSizes, Severity
from engine.formats.mapreduce1_lint import is_of_job_tracker
from engine.formats.spark_files import SPARK_FILES
from engine.settings.capacity_scheduler import PREFIX

CAPACITY_READER: Final = "CapacitySchedulerConfiguration"
SPARK_READER, WORKER_READER = "SparkConf", "WorkerArguments"  # Of properties, and of variables of the environment
FAIR_READER: Final = "AllocationFileLoaderService#reloadAllocations"
FILE_READER: Final = "o.a.h.conf.Configuration#loadResource"

WARNED: Final[Mapping[str, tuple[LintRule, str]]] = {
    "unknown-key": (LintRule(""), r"unknown (key|propert|element|attribute)|Hadoop 2\.7 ignores it|without `root"),
    "unknown-queue": (LintRule(CAPACITY_READER), r"is in no list of queues"),
    "not-a-leaf": (LintRule(""), r"not a leaf queue|no effect on a parent queue"),
    "old-name": (LintRule("", "note"), r"old name|as the default is given before|its new name is given too"),
    "given-again": (LintRule(""), r"^given again|the queue stands at line"),
    "no-value": (LintRule(FILE_READER), r"has no value and is not set"),
    "final": (LintRule("o.a.h.conf.Configuration#loadProperty"), r"it is final at|final counts only"),
    "variable-loop": (LintRule("o.a.h.conf.Configuration#substituteVars", "error"), r"refers to itself or to too many"),
    "variable": (LintRule("o.a.h.conf.Configuration#substituteVars", "note"), r"stays as it is$|is not known here"),
    "other-scheduler": (LintRule("ResourceManager#createScheduler"), r"is chosen; it does not read"),
    "stopped-queue": (LintRule("LeafQueue#submitApplication"), r"is stopped: it refuses every application"),
    "makes-no-queue": (LintRule("ParentQueue#addDynamicChildQueue"), r"makes no queue on submission"),
    "maximum-below-capacity": (LintRule("CSQueueUtils"), r"is guaranteed .* and may use"),
    "no-application": (
        LintRule("", "error"),
        r"accepts no application|is ever started$|no application master may start|each submission fails",
    ),
    "masters-above-one": (LintRule("LeafQueue#getAMResourceLimit"), r"the limit is a fraction from 0 to 1"),
    "fraction-above-one": (LintRule("AllocationFileLoaderService#loadQueue"), r"counts as 1: it is a fraction"),
    "threshold-above-one": (
        LintRule("FSAppAttempt#getAllowedLocalityLevel"),
        r"counts as 1: it is a part of the nodes",
    ),
    "odd-flag": (LintRule("o.a.h.conf.Configuration#getBoolean"), r"neither true nor false"),
    "one-master": (LintRule("LeafQueue#activateApplications"), r"runs one application at a time"),
    "one-user-limit": (RULES["one-user-limit"], r"^one user of .* may use"),
    "user-fills-queue": (LintRule("LeafQueue#computeUserLimit"), r"lets one user fill"),
    "user-limit-above-100": (LintRule("LeafQueue#computeUserLimit"), r"is more than the whole queue"),
    "partition-barred": (LintRule("AbstractCSQueue#canAssignToThisQueue"), r"may not use the partition"),
    "partition-share": (
        LintRule("QueueCapacities"),
        r"no parent queue has capacity|is given no capacity of the partition|refused once a node",
    ),
    "mixed-capacities": (LintRule("AbstractParentQueue#setChildQueues"), r"^an amount beside a percentage"),
    "labels-off": (LintRule("YarnConfiguration.NODE_LABELS_ENABLED"), r"node labels are off"),
    "preemption-off": (RULES["preemption-off"], r"preemption is off|preemption is not true"),
    "not-simulated": (LintRule("ReservationSystem", "note"), r"reservations are not simulated"),
    "share-above-maximum": (LintRule("AllocationConfiguration"), r"is more than the maximum of|the minimums of its"),
    "queue-of-nothing": (RULES["queue-of-nothing"], r"the queue runs (one container at a time|no container)"),
    "acl-open": (RULES["acl-open"], r"^keeps no user out"),
    "blank-in-list": (RULES["blank-in-list"], r"counts as groups"),
    "unknown-user": (LintRule("MaxRunningAppsEnforcer"), r"appears in no ACL|applies to no user"),
    "weight": (LintRule("FSQueue#getWeights"), r"gets no fair share|a weight of root"),
    "queue-policy": (LintRule("FSParentQueue#setPolicy"), r"fifo is for leaf queues"),
    "queue-not-made": (
        LintRule("QueueManager#updateAllocationConfiguration"),
        r"is never made|becomes root\.|Hadoop makes",
    ),
    "vcores-missing": (LintRule("FairSchedulerConfiguration#parseResourceConfigValue", "error"), r"names no vcores"),
    "percentage": (LintRule("FairSchedulerConfiguration#parseResourceConfigValue"), r"a percentage counts as"),
    "placement": (
        LintRule("QueuePlacementPolicy#fromXml"),
        r"attribute .* of rule|create has no effect|create=|inside this rule|without rules|lets applications",
    ),
    "topology": (LintRule("TableMapping"), r"two columns|does not begin with /"),
    "allocation-file": (
        LintRule("AllocationFileLoaderService#getAllocationFile"),
        r"no such file|not on this machine|is not here;|is on no class path",
    ),
    "mapreduce-1": (RULES["mapreduce-1"], r"this is a file of .* not of YARN"),
    "no-effect": (LintRule(""), r"has no effect"),
    "odd-xml": (
        LintRule(FILE_READER),
        r"is not a <property>|without a name|only the text before|is taken for|counts as false|is ignored|has no name",
    ),
    "value": (LintRule(""), r""),
}
"""Rule of a warning → what it is, and what its sentence says; the first that fits counts."""

REFUSED: Final[Mapping[str, tuple[str, str]]] = {
    "sum-of-capacities": (
        "ParentQueue#setChildQueues",
        r"add up to|have more capacity than it|its queues have (no )?capacity",
    ),
    "above-maximum": ("CSQueueUtils#checkMaxCapacity", r"above (its|the cluster's) |exceeds the maximum"),
    "no-capacity": (CAPACITY_READER, r"given no capacity"),
    "unreadable": ("", r"no such file|cannot be read|is not UTF-8|is a (folder|directory)|regular file"),
    "out-of-range": ("", r"is not between|is below 0|are? less than|must be"),
    "unknown-state": ("QueueState#valueOf", r"RUNNING nor STOPPED|below one that is stopped"),
    "placement": ("QueuePlacementPolicy#fromXml", r"can never be reached|a rule has no name|nestedUserQueue|same kind"),
    "unknown-class": ("o.a.h.conf.Configuration#getClass", r"there is no (class|monitor|ordering|resource)|needs a "),
    "partition-barred": ("SchedulerUtils#checkQueueLabelExpression", r"may not use|not accessible|partitions that its"),
    "resource-types": ("CapacityScheduler#initResourceCalculator", r"calculator counts memory alone"),
    "queue-twice": ("CapacityScheduler#parseQueue", r"two leaf queues"),
    "no-queues": ("CapacityScheduler#parseQueue", r"root has no queues|no queues below root"),
    "amount": ("FairSchedulerConfiguration#parseResourceConfigValue", r"has no number of|not of the form"),
    "queue-policy": ("SchedulingPolicy#parse", r"scheduling policy|cannot be the default"),
    "parent-queue": ("AllocationFileLoaderService#loadQueue", r"with child queues|together with child|beside it"),
    "queue-name": ("AllocationFileLoaderService#loadQueue", r"must not contain"),
    "queue-mapping": (
        "CapacityScheduler#initializeQueueMappings",
        r"not a mapping|not a leaf queue|is not workflow|^'.*': (its? |queues are not|a part is|the path is)",
    ),
    "not-a-number": ("", r"is not (an? )?(whole )?number|is not an? "),
    "wrong-file": ("", r"the top element is|neither XML nor|is a second|holds no configuration|not of YARN"),
    "not-xml": (FILE_READER, r"not well-formed|is empty|entit|document type|is larger than|encoding|is XML "),
    "no-value": ("", r"^has no value"),
    "refused": ("", r""),
}
"""Rule of what Hadoop refuses → its class, and what its sentence says; the first that fits counts."""

KNOWN: Final[Mapping[str, LintRule]] = {
    **{name: LintRule(source, "error") for name, (source, _) in REFUSED.items()},
    **{name: rule for name, (rule, _) in WARNED.items()},
    **RULES,
}
"""Every rule by its name; one of both tables is an error where Hadoop refuses the file for it."""


class NamedProblem(msgspec.Struct, frozen=True):
    rule: str
    severity: Severity
    problem: Problem
    source: str  # The class of Hadoop that does it; empty where it is the reader of the file
    ignored: str = ""  # Why the project does not want to hear of it; empty where it does

    @property
    def place(self) -> str:
        return f"{self.problem.file}:{self.problem.line}" if self.problem.line else self.problem.file


class CheckedConfiguration(msgspec.Struct, frozen=True):
    name: str  # Their folder, or file, as the user named it
    release: str
    parts: ConfigurationParts | None  # None where Hadoop refuses them
    problems: tuple[NamedProblem, ...]
    is_of_hadoop_1: bool = False  # Whether a JobTracker reads them

    @property
    def is_of_spark(self) -> bool:
        """Tell whether Spark reads all of it; of files that are refused, all that is wrong."""
        if self.parts is not None:
            return all(file.kind is FileKind.SPARK for file in self.parts.files)
        refused = [named for named in self.problems if named.rule in REFUSED]
        return all(named.source in (SPARK_READER, WORKER_READER) for named in refused)

    @property
    def reader(self) -> str:
        if self.is_of_spark:
            return "Spark"
        return "a JobTracker of Hadoop 1" if self.is_of_hadoop_1 else f"Hadoop {self.release}"

    @property
    def standing(self) -> list[NamedProblem]:
        return [each for each in self.problems if not each.ignored]


def checked(
    name: str,
    paths: Sequence[Path],
    release: str,
    *,
    given: Mapping[str, str] | None = None,
    nodes: Sequence[NodeSizes] = (),
    ignored: Iterable[str] = (),
) -> CheckedConfiguration:
    """The files of one cluster, with everything wrong by rule; `ignored` are rules that are not reported."""
    parts, problems = gather_parts(paths, release, given=given, nodes=nodes)
    listing = listing_of(parts)
    by_problem = {each.problem: each for each in listing.findings}
    refused = [_refused(each) for each in problems.found]
    warned = [_warned(each, by_problem.get(each)) for each in dict.fromkeys([*problems.warnings, *listing.warnings])]
    named = _with_ignored([*refused, *warned], [*map(Path, listing.files)], ignored)
    return CheckedConfiguration(name, release, None if refused else parts, named, is_of_job_tracker(parts.settings))


def _refused(problem: Problem) -> NamedProblem:
    rule = next(name for name, (_, words) in REFUSED.items() if re.search(words, problem.message))
    return NamedProblem(rule, "error", problem, REFUSED[rule][0] or _reader_of(problem))


def _warned(problem: Problem, finding: Finding | None) -> NamedProblem:
    if finding is not None:
        return NamedProblem(finding.rule, finding.severity, problem, finding.source)
    name = next(name for name, (_, words) in WARNED.items() if re.search(words, problem.message))
    rule = WARNED[name][0]
    return NamedProblem(name, rule.severity, problem, rule.source or _reader_of(problem))


def _reader_of(problem: Problem) -> str:
    if problem.key.startswith(PREFIX):
        return CAPACITY_READER
    if problem.key.startswith("spark.") or problem.file.endswith(SPARK_FILES[0]):
        return SPARK_READER
    if problem.key.startswith("SPARK_"):
        return WORKER_READER
    return FILE_READER if problem.key.startswith(("yarn.", "mapred")) else FAIR_READER


# What a project does not want to hear of: a comment before the element, or a rule of the whole project.

_COMMENT: Final = re.compile(r"<!--\s*schedlab:\s*(.*?)\s*-->", re.DOTALL)
_HASH: Final = re.compile(r"^[ \t]*#\s*schedlab:\s*(.*?)\s*$", re.MULTILINE)
_IGNORE: Final = re.compile(r"ignore\s+([a-z0-9-]+)\s*(?::\s*(.*))?$", re.DOTALL)
_TAG: Final = re.compile(r"<!--.*?-->|<(/?)([A-Za-z][\w:.-]*)[^>]*?(/?)>", re.DOTALL)


class _IgnoreComment(msgspec.Struct, frozen=True):  # It ignores a rule in the element after it
    rule: str
    reason: str
    file: str
    line: int
    first: int
    last: int  # Lines of the element


def _ignore_comments(text: str, file: str) -> tuple[list[_IgnoreComment], list[NamedProblem]]:
    found: list[_IgnoreComment] = []
    wrong: list[NamedProblem] = []
    pattern = _COMMENT if file.endswith(".xml") else _HASH
    for comment in pattern.finditer(text):
        line = text.count("\n", 0, comment.start()) + 1
        read = _IGNORE.match(comment.group(1))
        reason = " ".join((read.group(2) or "").split()) if read else ""
        if read is None or read.group(1) not in KNOWN or not reason:
            wrong.append(_bad_comment(read, file, line))
        else:
            found.append(_IgnoreComment(read.group(1), reason, file, line, *_element_after(text, comment.end())))
    return found, wrong


def _bad_comment(read: re.Match[str] | None, file: str, line: int) -> NamedProblem:
    form = "<!-- schedlab: ignore RULE: REASON -->"
    if read is None:
        problem = Problem("a comment to schedlab that is not read", file, line, "schedlab", form)
    elif read.group(1) not in KNOWN:
        problem = Problem(f"there is no rule {read.group(1)}", file, line, "schedlab", nearest(read.group(1), KNOWN))
    else:
        problem = Problem(f"ignores {read.group(1)} without a reason", file, line, "schedlab", form)
    return NamedProblem("ignore", "warning", problem, "schedlab")


def _element_after(text: str, end: int) -> tuple[int, int]:
    """First and last line of the element that begins after a place; of what is no XML the next line."""
    depth, first = 0, 0
    for tag in _TAG.finditer(text, end):
        if tag.group(2) is None:
            continue
        line = text.count("\n", 0, tag.end()) + 1
        first = first or text.count("\n", 0, tag.start()) + 1
        depth += 0 if tag.group(3) else -1 if tag.group(1) else 1
        if depth <= 0:
            return first, line
    line = text.count("\n", 0, end) + 2
    return first or line, line


def _with_ignored(
    problems: Sequence[NamedProblem], files: Sequence[Path], rules: Iterable[str]
) -> tuple[NamedProblem, ...]:
    comments: list[_IgnoreComment] = []
    found = list(problems)
    for file in files:
        if file.is_file():
            mine, wrong = _ignore_comments(file.read_text(encoding="utf-8", errors="replace"), str(file))
            comments += mine
            found += wrong
    hit: set[_IgnoreComment] = set()
    for place, each in enumerate(found):
        at = each.problem
        here = (one for one in comments if (one.rule, one.file) == (each.rule, at.file))
        comment = next((one for one in here if one.first <= at.line <= one.last), None)
        if comment is not None:
            hit.add(comment)
            found[place] = msgspec.structs.replace(each, ignored=comment.reason)
        elif each.rule in rules:
            found[place] = msgspec.structs.replace(each, ignored="the project ignores the rule")
    for comment in comments:
        if comment not in hit:
            problem = Problem(
                f"ignores {comment.rule}, and nothing here breaks that rule", comment.file, comment.line, "schedlab"
            )
            found.append(NamedProblem("ignore", "warning", problem, "schedlab"))
    return tuple(found)
