"""Every command: its usage, its own options, and where its function is, which is loaded when it is called."""

from collections.abc import Mapping
from typing import Final, NamedTuple

LIVE: Final = ("rm-log", "ca", "insecure", "kerberos", "interval")
READING: Final = ("set", "config", "assume", "trust", "release")  # How SOURCE is read
LOOKING: Final = ("ascii", "c")  # Of every verb that opens a screen


TABLES: Final = ("queues", "nodes", "apps", "users", "reservations", "executors", "containers")
"""KINDs that are a table of the state."""
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "summary": ("text", "json"),
    "state": ("text", "json"),
    **dict.fromkeys(TABLES, ("text", "json", "csv")),
    "alerts": ("text", "json", "csv"),
    "events": ("text", "jsonl"),
    "series": ("csv", "json"),
    "workload": ("text", "json", "sls", "sls-nodes", "rest", "swim"),
    "scenario": ("toml", "json"),
    "settings": ("text", "json", "xml"),
    "picture": ("svg", "png", "text", "html"),
    "report": ("html", "md", "json", "text"),
}  # KIND that `get` shows → its forms, the default first


class Verb(NamedTuple):
    call: str  # `module:function` of its function
    usage: str  # The words it takes
    about: str  # What it does
    shown: tuple[str, ...] = ()  # Options its help explains
    also: tuple[str, ...] = ()  # Options its help names only
    examples: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("text",)  # What `-o` may ask for; the first is the default
    kinds: str = ""  # Where completion finds its words, in their order; blank-separated names of `completion.WORDS`

    @property
    def options(self) -> tuple[str, ...]:
        return self.shown + self.also

    @property
    def bounds(self) -> tuple[int, int | None]:
        """The least and the largest number of words; None where there may be any number."""
        words = self.usage.split()
        least = sum(not word.startswith("[") for word in words)
        return least, None if any("..." in word for word in words) else len(words)


GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Start here": {
        "demo": "Watch a cluster freeze; it says what to try.",
        "tour": "Learn the screen in five minutes.",
        "open": "Put a SOURCE on the screen; without one, choose.",
    },
    "Look": {"get": "Show or export it: state, tables, picture, report."},
    "Ask": {
        "why": "Why nothing runs, or why one waits, with proof.",
        "fix": "What makes it start, and at what cost.",
    },
    "Try": {
        "play": "Play without a screen and check what it promises.",
        "compare": "The same work under other settings, side by side.",
        "tune": "Try many settings, or find the smallest that will do.",
        "check": "Lint files; what a change does.",
    },
    "Live": {
        "watch": "Follow a live cluster: screen, lines, alarms.",
        "serve": "Answer as its ResourceManager, for real clients.",
    },
    "Learn": {"drill": "Incidents to solve: list, show, play, report, new, join."},
    "Files": {
        "import": "Make a scenario of logs, traces and workloads.",
        "runs": "List, delete and repair what was kept.",
        "settings": "schedlab's own settings and keys, and their origin.",
    },
}  # Groups of the help: name → verb → its line

VERBS: Final[Mapping[str, Verb]] = {
    "demo": Verb(
        "tui.cli.open:demo",
        "",
        "Watch a cluster freeze. It begins a minute before, stops when nothing is allocated any more, and says in three"
        " lines what to try; esc hides them.",
        ("speed", "ascii", "web", "listen"),
        ("acts", "c"),
        ("schedlab demo",),
    ),
    "tour": Verb(
        "tui.cli.open:tour",
        "",
        "Learn the screen in five minutes: eight steps on a frozen cluster, each waits for your own key.",
        ("ascii", "web", "listen"),
        ("acts", "c"),
        ("schedlab tour",),
    ),
    "open": Verb(
        "tui.cli.open:open_source",
        "[SOURCE]",
        "Put SOURCE on the screen. A scenario plays from its start or from --at; a kept run stands at its end, a log as"
        " recorded, a live cluster now; a drill is played. Without SOURCE you choose. ? lists all keys, q leaves.",
        ("at", "speed", "paused", "read-only", "ascii", "web", "listen", "share", "keep", "acts", "user", "token-file"),
        (*READING, *LIVE, "output", "force", "c"),
        ("schedlab open reservation-deadlock --at 10:43", "schedlab open rm.log", "schedlab open http://rm1:8088"),
        ("screen", "journal"),
        "sources",
    ),
    "get": Verb(
        "tui.cli.get:get",
        "[SOURCE] [KIND] [NAME|FILTER...]",
        "Show or export what SOURCE is. KIND: summary (default), queues, nodes, apps, users, reservations, executors,"
        " containers, alerts, events, series, workload, scenario, settings, picture or report. Without SOURCE:"
        " scenarios, drills, clusters and runs.",
        ("at", "set", "output", "budget", "size", "press"),
        ("config", "assume", "trust", "release", "nodes", "D", "format", *LIVE, "ascii", "force", "quiet", "c"),
        (
            "schedlab get reservation-deadlock apps state:ACCEPTED --at 10:43",
            "schedlab get rm.log report -o incident.html",
            "schedlab get prod -o now.toml",
        ),
        tuple(dict.fromkeys(form for forms in KINDS.values() for form in forms)),
        "sources kinds",
    ),
    "why": Verb(
        "tui.cli.why:why",
        "SOURCE [SUBJECT]",
        "Tell why SUBJECT waits, whether it will ever run, and the proof. SUBJECT is an application (id, its last"
        " digits, or name), a queue or a node; where two have the same name: app/NAME, queue/NAME, node/NAME. Without"
        " SUBJECT: why the cluster stands, and which application has waited longest.",
        ("at", "set", "output", "budget", "priority"),
        ("config", "assume", "trust", "release", *LIVE, "force", "quiet", "c"),
        (
            "schedlab why reservation-deadlock --at 10:43",
            "schedlab why reservation-deadlock 183354 --at 10:43",
            "schedlab why prod root.etl -o json",
        ),
        ("text", "json", "screen"),
        "sources subjects",
    ),
    "fix": Verb(
        "tui.cli.fix:fix",
        "SOURCE [APP]",
        "Tell what would make APP start, the least harmful first; without APP, all that never start by themselves."
        " Each act is tried on a copy. Harm is the run time that containers lose, and how much later others start or"
        " end, summed up.",
        ("at", "set", "output", "apply", "from-start", "budget", "workers"),
        ("config", "assume", "trust", "release", *LIVE, "force", "quiet", "c"),
        ("schedlab fix reservation-deadlock --at 10:43", "schedlab fix prod 183354"),
        ("text", "json", "screen"),
        "sources apps",
    ),
    "play": Verb(
        "tui.cli.play:play_source",
        "SOURCE",
        "Play SOURCE without a screen and check its expectations: events on stdout, exit code 1 where one failed. Of a"
        " log or a live cluster its twin is played.",
        ("at", "until", "set", "output", "quiet", "keep"),
        ("config", "assume", "trust", "release", *LIVE, "force", "c"),
        ("schedlab play day.toml", "schedlab play day.toml -q -o junit:play.xml"),
        ("text", "jsonl", "json", "junit", "journal", "rm-log", "rest"),
        "sources",
    ),
    "compare": Verb(
        "tui.cli.compare:compare",
        "SOURCE OTHER...",
        "Play the same work and faults once more under each OTHER, and say where they part; SOURCE as it is comes"
        " first. OTHER: a policy (fair-3.4), KEY=VALUE, several joined by a comma, the path of a configuration, or"
        " another SOURCE.",
        ("at", "until", "set", "output", "workers"),
        ("config", "assume", "trust", "release", *LIVE, "ascii", "force", "quiet", "c"),
        (
            "schedlab compare reservation-deadlock fair-3.4 --until 10:43",
            "schedlab compare day.toml fair-3.4 -o r.html",
            "schedlab compare day.toml conf/",
        ),
        ("text", "json", "csv", "html", "md", "screen"),
        "sources schedulers",
    ),
    "tune": Verb(
        "tui.cli.tune:tune",
        "SOURCE",
        "Play SOURCE at every combination of the values of --vary, and rank them; with --smallest, or a --limit alone,"
        " find the least value (of nodes) that keeps every limit. tune FILE.sweep goes on with one, or shows it.",
        (
            *("vary", "limit", "goal", "smallest", "seeds", "sample", "search", "strained", "until", "set", "output"),
            *("workers", "dask"),
        ),
        ("at", "config", "assume", "trust", "release", *LIVE, "ascii", "force", "quiet", "c"),
        (
            "schedlab tune day.toml --limit 'p95_wait < 5m'",
            "schedlab tune day.toml --vary nodes=10..20/2 --vary scheduler=fair-3.4,fifo -o day.sweep -o r.html",
        ),
        ("text", "json", "csv", "html", "md", "screen", "sweep"),
        "sources",
    ),
    "check": Verb(
        "tui.cli.check:check",
        "[PATH|NAME|CLUSTER...]",
        "Lint configurations, scenarios and drills (`drills` are all that are packaged); with --against, say what"
        " a change of a configuration does, and to which queues. Exit code 1 where something is wrong. `schedlab help"
        " config` has the rules.",
        (
            *("against", "workload", "until", "expect", "strict", "ignore", "output", "nodes", "D", "set", "seeds"),
            "schema",
        ),
        ("trust", "release", "force", "quiet", "c"),
        (
            "schedlab check conf --nodes 40x128g/32",
            "schedlab check conf --against git:origin/main -o github -o sarif:lint.sarif",
            "schedlab check new --against old --workload reservation-deadlock --until 12:00",
        ),
        ("text", "json", "sarif", "github", "gitlab", "junit", "md", "html", "jsonl", "witness"),
        "sources",
    ),
    "watch": Verb(
        "tui.cli.watch:watch",
        "URL",
        "Follow a running cluster: on a terminal the screen, as `open URL`; in a pipe, or with -o, --rounds or"
        " --on-alarm, a line each round. It is asked by REST, and only changed with --acts. Exit code 1: an alarm"
        " stands at the end.",
        ("every", "rounds", "alarm", "on-alarm", "keep", "listen", "output", "acts", "user", "token-file"),
        ("config", *LIVE, "ascii", "web", "force", "quiet", "c"),
        ("schedlab watch http://rm1:8088", "schedlab watch prod --rounds 1 -o jsonl"),
        ("screen", "jsonl", "text"),
        "clusters",
    ),
    "serve": Verb(
        "tui.cli.serve:serve",
        "SOURCE",
        "Answer as the ResourceManager of SOURCE, for dashboards, exporters and scripts: /ws/v1/cluster as JSON or XML."
        " Anyone may read applications; acts need the token that is written on stderr. The clock is moved by"
        " /schedlab/v1/clock.",
        ("at", "set", "speed", "paused", "listen", "token-file"),
        ("config", "assume", "trust", "release", *LIVE, "quiet", "c"),
        ("schedlab serve reservation-deadlock --at 10:43",),
        kinds="sources",
    ),
    "drill list": Verb(
        "tui.cli.drill:list_drills",
        "",
        "List the drills by track, in the order they are best taken, with your best score and what to take next; with"
        " --instruct, the seats beside those that are played and shared.",
        ("track", "trainee", "instruct", "output"),
        ("ascii", "force", "quiet", "c"),
        ("schedlab drill list",),
        ("text", "json", "jsonl"),
    ),
    "drill show": Verb(
        "tui.cli.drill:show_drill",
        "[NAME]",
        "Show what a trainee reads, and how points are counted; with --solution how it is solved, and without NAME what"
        " an author can write.",
        ("solution", "output"),
        ("force", "quiet", "c"),
        ("schedlab drill show quiet-shift",),
        ("text", "json", "jsonl"),
        "drills",
    ),
    "drill play": Verb(
        "tui.cli.drill:play",
        "NAME...",
        "Play a drill on the screen; with --steps, --agent or -o without one. Exit code 1: not solved.",
        ("seed", "exam", "trainee", "steps", "agent", "share", "listen", "output"),
        ("ascii", "web", "acts", "force", "quiet", "c"),
        ("schedlab drill play quiet-shift",),
        ("screen", "text", "json", "jsonl", "csv", "html", "md", "rm-log"),
        "drills",
    ),
    "drill report": Verb(
        "tui.cli.drill:report",
        "[NAME...]",
        "Tell what a class did, the last try of each trainee at each drill played again; with --try the debrief of one"
        " try.",
        ("try", "trainee", "names", "output"),
        ("force", "quiet", "c"),
        ("schedlab drill report -o class.html", "schedlab drill report quiet-shift --try last"),
        ("csv", "text", "json", "html", "md"),
        "drills",
    ),
    "drill new": Verb(
        "tui.cli.drill:new_drill",
        "SOURCE",
        "Draft a drill around an instant: clues, goals, questions and a tried solution. What you have to write yourself"
        " is marked EDIT; `schedlab check FILE` judges it.",
        ("at", "output"),
        ("set", "trust", "force", "quiet", "c"),
        ("schedlab drill new monday --at 10:43 -o night.toml",),
        ("toml", "json"),
        "sources",
    ),
    "drill join": Verb(
        "tui.cli.drill_screen:join",
        "[NAME]",
        "Look on at a session of yours in another terminal, opened with --share; with --instruct take the instructor's"
        " seat beside a drill.",
        ("instruct", "ascii", "web", "listen"),
        ("c",),
        ("schedlab drill join",),
        kinds="shared",
    ),
    "drill yarn": Verb(
        "tui.cli.yarn:yarn",
        "application|node|queue [-OPTION...]",
        "Some of the `yarn` command, in its own words, for a drill that is served: application -list [-appStates S,..]"
        " [-appTypes T,..], -status ID, -kill ID, -movetoqueue ID -queue QUEUE; node -list [-all] [-states S,..];"
        " queue -status QUEUE.",
        ("rm", "token-file"),
        (),
        ("schedlab drill yarn application -list",),
    ),
    "import": Verb(
        "tui.cli.import_:import_files",
        "FILE...",
        "Make a scenario of a whole history: logs, traces and workloads, packed or not, or folders of them; say what"
        " was read, inferred and dropped. Without -o nothing is written.",
        ("format", "queue-map", "scale-time", "anonymise", "first", "between", "nodes", "output"),
        ("set", "assume", "force", "quiet", "c"),
        ("schedlab import jobs/ -o day.toml --nodes 40x64g/16",),
        ("text", "toml", "json"),
    ),
    "runs": Verb(
        "tui.cli.runs:list_runs",
        "",
        "List what was kept, oldest first. `runs rm RUN...` deletes, `runs repair RUN` cuts a damaged one off before"
        " its first damaged line.",
        ("output",),
        ("force", "quiet", "c"),
        ("schedlab runs", "schedlab runs rm monday"),
        ("text", "json", "jsonl"),
    ),
    "runs rm": Verb(
        "tui.cli.runs:delete_runs", "RUN...", "Delete kept runs; asks first.", ("yes",), ("quiet", "c"), kinds="runs"
    ),
    "runs repair": Verb(
        "tui.cli.runs:repair_run",
        "RUN",
        "Cut a damaged run off before its first damaged line; what was before that is kept.",
        (),
        ("quiet", "c"),
        kinds="runs",
    ),
    "settings": Verb(
        "tui.cli.settings:settings",
        "[KEY]",
        "Show every setting and key in force, and where its value comes from: -c, a variable, the file, a default.",
        ("output",),
        ("force", "quiet", "c"),
        ("schedlab settings", "schedlab settings theme"),
        ("text", "json"),
        "settings",
    ),
    "help": Verb(
        "tui.cli.help:explain",
        "[VERB...|source|options|output|exit|config]",
        "Explain a verb, what a SOURCE is, the options, outputs, exit codes or the rules of check.",
        kinds="topics",
    ),
}  # Name → command; of a group its parts


def parts_of(group: str) -> list[str]:
    return [name.partition(" ")[2] for name in VERBS if name.startswith(f"{group} ")]
