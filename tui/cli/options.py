"""Every option of the command line, declared once: its name, what it takes, and its one help text.

Nothing of the engine is loaded here: help and completion read these tables.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Option(NamedTuple):
    name: str  # Without its dashes
    takes: str = ""  # What stands behind it; empty for a flag
    help: str = ""
    is_many: bool = False
    reads: str = "text"  # How its value is read: `text`, `whole`, `number`, `instant`, `duration`
    least: float = 0  # Smallest number it takes
    most: float = 1e12  # Largest
    words: str = ""  # Where completion finds its values: a name of `completion.WORDS`
    short: str = ""  # The letter behind a single dash

    @property
    def flag(self) -> str:
        return f"--{self.name}" if len(self.name) > 1 else f"-{self.name}"

    @property
    def shown(self) -> str:
        short = f"-{self.short}, " if self.short else ""
        return f"{short}{self.flag} {self.takes}".rstrip()


INTERVAL: Final = "2s"  # What an option is where it is not given; so are these
EVERY: Final = "60s"
SIZE: Final = "120x40"

MOST_WORKERS: Final = 1_000
MOST_SEEDS: Final = 10_000
MOST_DRAWN: Final = 100_000  # Settings of a sample or a search

_OPTIONS: Final = (
    Option("at", "T", "10:43, +30m or seconds. Default: the end, or now.", reads="instant", words="instants"),
    Option("until", "T", "Where playing ends. Default: the end.", reads="instant", words="instants"),
    Option("set", "KEY=VALUE", "Set one key on top; also nodes, seed, scheduler.", is_many=True, words="keys"),
    Option("config", "PATH", "The cluster's Hadoop or Spark files, or their folder.", is_many=True),
    Option("assume", "KEY=VALUE", "What SOURCE does not say: remaining=10m, ...", is_many=True, words="assumptions"),
    Option("trust", "", "SOURCE may name files outside its folder."),
    Option("release", "2.7|3.4", "Which Hadoop reads the files, or answers.", words="releases"),
    Option(
        "output",
        "FORMAT[:FILE]",
        "FORMAT to stdout, or a FILE; may be repeated.",
        is_many=True,
        short="o",
        words="forms",
    ),
    Option("force", "", "Replace files that are there.", short="f"),
    Option("quiet", "", "No progress, no notes; of play no events.", short="q"),
    Option("c", "KEY=VALUE", "One of schedlab's own settings, for this call.", is_many=True, words="settings"),
    Option("rm-log", "FILE|URL", "ResourceManager log: which application reserved which node."),
    Option("ca", "FILE", "Certificates of authorities to trust."),
    Option("insecure", "", "Accept any certificate."),
    Option("kerberos", "", "Log in with the ticket that kinit got."),
    Option("interval", "D", f"Time between two rounds, from 1s. Default: {INTERVAL}.", reads="duration"),
    Option("acts", "", "Allow acts; each asks first."),
    Option("user", "NAME", "User name sent, if there is no authentication."),
    Option("token-file", "FILE", "Token that acts bring; else $SCHEDLAB_TOKEN."),
    Option("speed", "X", "Cluster seconds per second; 0: flat out.", reads="number"),
    Option("paused", "", "Begin with the clock stopped."),
    Option("read-only", "", "Look only: keys that act are off."),
    Option("ascii", "", "Draw with ASCII only."),
    Option("web", "", "In a browser; each visitor has a process."),
    Option("listen", "[ADDR:]PORT", "Where it answers; 0: any free port."),
    Option("share", "", "Others of your terminals may look on: drill join."),
    Option("keep", "NAME", "Keep it as a run; auto makes a name."),
    Option("size", "WxH", f"Columns and lines of a picture. Default: {SIZE}."),
    Option("press", "KEY", "Key pressed before the picture; may be repeated.", is_many=True),
    Option(
        "budget",
        "D",
        "Longest processor time, twice by the clock; 0: no limit. Default: 5s, report 1m.",
        reads="duration",
    ),
    Option("workers", "N", "Processes. Default: one a core.", reads="whole", least=1, most=MOST_WORKERS),
    Option("priority", "N", "Its request of that priority.", reads="whole", least=-(2**31)),
    Option("apply", "N", "Apply remedy N, play on and report the result.", reads="whole", least=1),
    Option("from-start", "", "Also settings that would have prevented it."),
    Option("vary", "KEY=A,B", "Values of a key, or A..B/STEP; may be repeated.", is_many=True, words="keys"),
    Option("limit", "'M < V'", "Constraint on every setting; may be repeated.", is_many=True),
    Option("goal", "MEASURE", "Measure to rank by. Default: p95_wait.", words="measures"),
    Option("smallest", "KEY=A..B", "Least value that keeps every limit."),
    Option(
        "seeds",
        "N",
        "How many seeds. Default: 1; smallest 3, check 0.",
        reads="whole",
        least=1,
        most=MOST_SEEDS,
    ),
    Option("sample", "N", "Draw N settings by Latin hypercube.", reads="whole", least=1, most=MOST_DRAWN),
    Option("search", "N", "Let Optuna search N settings for the best.", reads="whole", least=1, most=MOST_DRAWN),
    Option("strained", "", "Also with a rack lost, and with more work."),
    Option("dask", "ADDRESS", "Play on a dask cluster: tcp://HOST:PORT."),
    Option("alarm", "RULE", "'all nodes reserved for 4s'; may be repeated.", is_many=True),
    Option("on-alarm", "COMMAND", "Run for each alarm, which is JSON on its stdin."),
    Option("every", "D", f"Time between two lines. Default: {EVERY}."),
    Option("rounds", "N", "End after N lines.", reads="whole", least=1),
    Option("format", "F", "Take the files as this. Default: by content.", words="formats"),
    Option("queue-map", "A=B", "Call queue A of the trace B; may be repeated.", is_many=True),
    Option("scale-time", "X", "Multiply the time between arrivals by X.", reads="number"),
    Option("anonymise", "", "Replace names of users, queues, jobs and hosts."),
    Option("first", "N", "Only the first N applications.", reads="whole", least=1),
    Option("between", "A..B", "Only those submitted then: 1h..2h."),
    Option("nodes", "NxM/V,...", "The nodes: 40x128g/32,4x64g/16."),
    Option("against", "OLD", "What a change does: a folder, SOURCE or git:REF."),
    Option("workload", "SOURCE", "Work that both are played with.", is_many=True, words="sources"),
    Option("expect", "FILE", "Promises to check, and harm that is meant.", is_many=True),
    Option("strict", "", "Warnings, and longer waits, fail too."),
    Option("ignore", "RULE", "Leave out what this rule finds.", is_many=True, words="rules"),
    Option("D", "NAME=VALUE", "A property of Java, or env.NAME.", is_many=True),
    Option("schema", "KIND", "Print the JSON Schema: scenario or drill.", words="schemas"),
    Option("seed", "N", "Another workload, the same cause.", reads="whole"),
    Option("exam", "", "Exam: no help, and the clock runs."),
    Option("trainee", "WHO", "Whose results they are. Default: yours."),
    Option("steps", "FILE|-", "Steps as JSON lines; - talks line by line."),
    Option("agent", "NAME=COMMAND", "A program that plays; may be repeated.", is_many=True),
    Option("solution", "", "Also how it is solved, and why."),
    Option("track", "TRACK", "Only of this track.", words="tracks"),
    Option("try", "last|best|par", "Which try to show.", words="tries"),
    Option("names", "", "Names of trainees instead of seats."),
    Option("instruct", "", "Take the instructor's seat."),
    Option("rm", "URL", "The ResourceManager asked. Default: the drill here."),
    Option("yes", "", "Do not ask.", short="y"),
)

OPTIONS: Final[Mapping[str, Option]] = {option.name: option for option in _OPTIONS}  # Name → option

SHORT: Final[Mapping[str, Option]] = {option.short or option.name: option for option in _OPTIONS if (
    option.short or len(option.name) == 1
)}  # fmt: skip
"""Letter → option."""
