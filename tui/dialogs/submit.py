"""The form that submits an application: a few fields with sensible beginnings, and every mistake named beside it."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from tui.dialogs.forms import Form, FormLine, FormScreen, SingleResultScreen
from tui.protocol.messages import SubmitFilled
from tui.protocol.picture import PRESET, Preset
from tui.terminal.screen_edges import literal
from tui.widgets.prompt import Chooser, TextField

OWN = "nothing"  # What the chooser says while no preset is chosen
BY_RULES, AS_TYPED = "by the rules", "as typed below"  # What the chooser says of an empty queue, and of an unknown one
QUEUE, QUEUES = "queue", "queues"  # The field for a queue, and the chooser of those that exist


class FormField(NamedTuple):
    name: str
    title: str
    value: str
    hint: str


FIELDS = (
    FormField("name", "name", "by-hand", "what to call it"),
    FormField("user", "user", "operator", "its user"),
    FormField("queue", "queue", "", "empty: the rules decide"),
    FormField("containers", "containers", "4", "besides its master"),
    FormField("memory", "memory each", "2g", "512m, 4g, or MB"),
    FormField("vcores", "vcores each", "1", ""),
    FormField("duration", "runs for", "2m", "empty: for ever"),
    FormField("master", "master memory", "1g", "unmanaged: none"),
)


STANDALONE_FIELDS = (
    FormField("name", "name", "by-hand", "what to call it"),
    FormField("user", "user", "operator", "its user"),
    FormField("cores_max", "cores at most", "12", "empty: all there are"),
    FormField("executor_cores", "cores each", "2", "empty: all a worker gives"),
    FormField("memory", "memory each", "512m", "of one executor"),
    FormField("tasks", "tasks", "48", "0: an idle shell"),
    FormField("duration", "a task runs", "20s", ""),
)  # The fields for Spark's standalone Master


JOB_FIELDS = (
    FormField("name", "name", "by-hand", "what to call it"),
    FormField("user", "user", "operator", "its user"),
    FormField("queue", "pool", "", "empty: the default one"),
    FormField("priority", "priority", "normal", "very_low … very_high"),
    FormField("maps", "maps", "8", ""),
    FormField("duration", "a map runs", "30s", ""),
    FormField("memory", "map memory", "1g", "slots of more, where memory counts"),
    FormField("reduces", "reduces", "2", ""),
    FormField("reduce_duration", "a reduce runs", "30s", "after the last map"),
    FormField("reduce_memory", "reduce memory", "1g", ""),
)  # The fields for MapReduce 1's JobTracker


class SubmitForm(NamedTuple):
    fields: tuple[FormField, ...]
    words: Mapping[str, str]  # Word of the command `submit` → name of the field


_BOTH: Final = {"app": "name", "user": "user", "mem": "memory", "for": "duration"}
YARN_FORM: Final = SubmitForm(FIELDS, {**_BOTH, "queue": "queue", "n": "containers", "vc": "vcores", "am": "master"})
STANDALONE_FORM: Final = SubmitForm(
    STANDALONE_FIELDS, {**_BOTH, "n": "tasks", "cores": "cores_max", "vc": "executor_cores"}
)

JOB_FORM: Final = SubmitForm(
    JOB_FIELDS,
    {
        **_BOTH,
        "pool": "queue",
        "priority": "priority",
        "n": "maps",
        "reduces": "reduces",
        "rfor": "reduce_duration",
        "rmem": "reduce_memory",
    },
)

TASK_QUEUE_FORM: Final = SubmitForm(
    tuple(each._replace(title=QUEUE) if each.name == QUEUE else each for each in JOB_FIELDS),
    {QUEUE if name == QUEUE else word: name for word, name in JOB_FORM.words.items()},
)  # For a JobTracker without pools


class SubmitScreen(FormScreen, SingleResultScreen[None], ModalScreen[None]):
    """Fill in and submit; stays open while something is wrong."""

    AUTO_FOCUS = "#name"
    DEFAULT_CSS = "SubmitScreen { align: center middle; background: $background 60%; }"

    def __init__(
        self,
        beginnings: Mapping[str, str],
        *,
        fields: Sequence[FormField] = FIELDS,
        presets: Sequence[Preset] = (),
        queues: Sequence[str] = (),
    ) -> None:
        """`beginnings` are the texts of fields while no preset is chosen; `queues` the paths to choose from."""
        super().__init__()
        self._queues = tuple(queues)
        self._fields = fields
        self._plain = {field.name: beginnings.get(field.name, field.value) for field in fields}
        self._presets = presets

    def compose(self) -> ComposeResult:
        presets = Chooser("Begin with", [OWN, *(preset.name for preset in self._presets)], id=PRESET)
        about = Static(self._about(), id="about", markup=False)
        lines = []
        for form_field in self._fields:
            if form_field.name == QUEUE and self._queues:
                chooser = Chooser("Queue", [BY_RULES, *self._queues], chosen=self._place(self._plain[QUEUE]), id=QUEUES)
                lines.append(FormLine(f"a {form_field.title}", chooser))
            field = TextField(self._plain[form_field.name], id=form_field.name, select_on_focus=True)
            lines.append(FormLine(form_field.title, field, form_field.hint))
        yield Form("Submit", [FormLine("begin with", presets), FormLine("", about), *lines])

    @property
    def preset(self) -> Preset | None:
        chosen = self.form.chooser(PRESET).chosen
        return self._presets[chosen - 1] if chosen else None

    def _about(self, preset: Preset | None = None) -> str:
        if preset is not None:
            return preset.about
        many = "kind" if len(self._presets) == 1 else "kinds"
        return f"{len(self._presets)} {many} of this workload to choose from" if self._presets else ""

    def _place(self, path: str) -> int:
        some = (place for place, each in enumerate(self._queues, 1) if path in (each, each.removeprefix("root.")))
        return next(some, 0)

    @on(Input.Changed, f"#{QUEUE}")
    def _queue_typed(self, event: Input.Changed) -> None:
        path = event.value.strip()
        is_new = bool(path and self._queues) and not self._place(path)
        usual = next(one.hint for one in self._fields if one.name == QUEUE)
        words = f"new: there is no {path} yet" if is_new else usual
        self.query_one(f"#hint-{QUEUE}", Label).update(literal(words))
        if self._queues:
            self.form.chooser(QUEUES).follow(self._place(path), AS_TYPED if is_new else "")

    @on(Chooser.Changed)
    def _chosen(self, event: Chooser.Changed) -> None:
        if event.chooser.id == QUEUES:
            chosen = event.chooser.chosen
            self.form.fill({QUEUE: self._queues[chosen - 1] if chosen else ""})
            return
        preset = self.preset
        self.query_one("#about", Static).update(self._about(preset))
        self.form.fill({**self._plain, **(preset.fields if preset else {})})
        self.form.show_problems(())

    @on(Form.HandedIn)
    def _handed_in(self) -> None:
        named = {PRESET: self.preset.name} if self.preset else {}
        self.post_message(SubmitFilled({**self.form.texts(), **named}))


class WordsError(ValueError):
    """A mistake in the words of the command."""


def offers(presets: Sequence[str], queues: Sequence[str], form: SubmitForm) -> list[str]:
    """The words that complete the command."""
    words = [f"{word}=" for word in form.words]
    queue = next((word for word, field in form.words.items() if field == "queue"), "")
    paths = queues if queue else ()
    return [*(f"{PRESET}={name}" for name in presets), *words, *(f"{queue}={path}" for path in paths)]


def read(words: Sequence[str], form: SubmitForm) -> dict[str, str]:
    """Name of each field, or `preset`, that is given → its text; a `WordsError` where a word is no field, or twice."""
    known = form.words
    found: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        field = PRESET if key == PRESET else known.get(key, key if key in known.values() else "")
        if not sign or not field:
            raise WordsError(f"{word!r}: there is {PRESET}=, {'=, '.join(known)}=")
        if field in found:
            raise WordsError(f"{key} is given twice")
        found[field] = value
    return found


def fields_of(
    given: Mapping[str, str], beginnings: Mapping[str, str], presets: Sequence[Preset], form: SubmitForm
) -> dict[str, str]:
    """A whole form: what is given, then the preset, if there is such a one, then what row and form begin with."""
    preset = next((one for one in presets if one.name == given.get(PRESET)), None)
    if preset is not None:
        return {**preset.fields, **given}
    plain = {field.name: field.value for field in form.fields}
    return {**plain, **{name: text for name, text in beginnings.items() if name in plain}, **given}
