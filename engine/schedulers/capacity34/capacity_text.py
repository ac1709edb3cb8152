"""A queue's capacity in one partition, as its text says it: a percentage, absolute resources, or a weight.

Source: CapacitySchedulerConfiguration#getNonLabeledQueueCapacity, #getLabeledQueueCapacity,
#internalGetLabeledResourceRequirementForQueue, AbstractCSQueue#updateConfigurableResourceLimits,
QueueCapacityConfigParser, QueueCapacityVector, Hadoop 3.4.1.
"""

import re
from typing import Final, NamedTuple

from engine.model.java_values import float32, parse_float, parse_long, trim
from engine.model.request import MEMORY_MB, VCORES
from engine.schedulers.capacity.properties import ILLEGAL_ARGUMENT, NUMBER_FORMAT, Properties
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.settings.capacity_queue import CAPACITY, MAXIMUM_CAPACITY
from engine.settings.capacity_scheduler import MAXIMUM_AM_PERCENT

# A queue's capacity resource by resource: each is a percentage, an absolute amount or a weight.

PERCENTAGE: Final = "%"
ABSOLUTE: Final = ""
WEIGHT: Final = "w"
VECTOR: Final = re.compile(r"^\[([\w\.,\-_%\\ /]+=[\w\.,\-_%\\ /]+)+\]$")
UNIFORM: Final = re.compile(r"^([0-9.]+)(.*)")
UNITS: Final = {
    "p": 1e-12,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
}
"""Source: UnitsConversionUtil#KNOWN_UNITS; no unit means MB."""


class Measure(NamedTuple):
    value: float
    kind: str  # `PERCENTAGE`, `ABSOLUTE` or `WEIGHT`


Vector = tuple[Measure, Measure]  # Memory, then vcores

WHOLE: Final[Vector] = (Measure(100.0, PERCENTAGE), Measure(100.0, PERCENTAGE))
ONE_WEIGHT: Final[Vector] = (Measure(1.0, WEIGHT), Measure(1.0, WEIGHT))
NO_MAXIMUM: Final[Vector] = (Measure(0.0, ABSOLUTE), Measure(0.0, ABSOLUTE))
"""What a maximum that is not given stands for: that of the parent."""


def kinds(vector: Vector | None) -> set[str]:
    """The kinds of a capacity's measures; empty where there is none."""
    return {measure.kind for measure in vector or ()}


def uniform(percent: float) -> Vector:
    return (Measure(percent, PERCENTAGE), Measure(percent, PERCENTAGE))


def weight_of(vector: Vector | None) -> float | None:
    """The weight of a capacity that gives all resources the same one."""
    if vector is None or kinds(vector) != {WEIGHT} or vector[0].value != vector[1].value:
        return None
    return float32(vector[0].value)


def read_vector(properties: Properties, key: str) -> Vector | None:
    """A capacity; None where there is none or its text has no known form."""
    text = properties.text(key)
    return None if text is None else parse_vector(text, properties, key)


def parse_vector(text: str, properties: Properties, key: str) -> Vector | None:
    """Read as `read_vector` does, from a text in place of the key's."""
    text = text.replace(" ", "")
    try:
        if VECTOR.match(text):
            return _one_by_one(text[1:-1])
        found = UNIFORM.match(text)
        if found is None or found.group(2) not in ("", WEIGHT):
            return None
        measure = Measure(float32(parse_float(found.group(1))), WEIGHT if found.group(2) else PERCENTAGE)
    except ValueError:
        if not properties.refusals.names(key):
            properties.refusals.add(NUMBER_FORMAT, f"{text!r} holds something that is not a number", key)
        return None
    return (measure, measure)


def _one_by_one(text: str) -> Vector | None:
    """`memory=4Gi,vcores=50%`; None where no memory is given."""
    found = {MEMORY_MB: Measure(0.0, ABSOLUTE), VCORES: Measure(0.0, ABSOLUTE)}
    for pair in text.split(","):
        name, _, rest = pair.partition("=")
        amount = rest.partition("=")[0]
        measure = _measure(amount) if amount else None
        if measure is not None:
            found[MEMORY_MB if name == "memory" else name] = measure
    memory, vcores = found[MEMORY_MB], found[VCORES]
    return (memory, vcores) if memory.value else None


def _measure(text: str) -> Measure | None:
    unit = re.sub("[0-9.]", "", text)
    if not text.endswith(unit):
        return None
    value = float32(parse_float(text.removesuffix(unit) if unit else text))
    if unit in UNITS:
        return Measure(float32(float(int(int(value) * UNITS[unit] / UNITS["Mi"]))), ABSOLUTE)
    return Measure(value, unit if unit in (PERCENTAGE, WEIGHT) else ABSOLUTE)


ROOT: Final = "root"
RESOURCES: Final = re.compile(r"^\[[\w\.,\-_=\ /]+\]$")
_AMOUNT: Final = re.compile(r"([^=]+)=(\d+)\s?(\w*)", re.ASCII)
MEMORY_UNITS: Final = ("", "M", "Mi", "G", "Gi", "T", "Ti", "k", "Ki")


class LabelSettings:
    def __init__(self) -> None:
        self.capacity = 0.0  # share of the parent, float32
        self.maximum = 1.0  # largest share of the parent, float32
        self.am_percent = 0.1
        self.weight = -1.0  # -1 where the capacity is no weight
        self.minimum_resource: Amount = NOTHING  # the capacity as absolute resources
        self.maximum_resource: Amount = NOTHING
        self.absolute = False  # whether the capacity is written as absolute resources
        self.vector: Vector | None = None  # the capacity resource by resource; None where its text has no known form
        self.maximum_vector: Vector = NO_MAXIMUM


def read_label(properties: Properties, path: str, label: str) -> LabelSettings:
    """Read percentages and weights, `read_resources` the rest. Source: CSQueueUtils#loadCapacitiesByLabelsFromConf."""
    settings = LabelSettings()
    if path == ROOT:
        settings.capacity = 1.0
        settings.maximum = 1.0 if label else _maximum(properties, path, label)
    else:
        settings.capacity = _capacity(properties, path, label)
        settings.maximum = _maximum(properties, path, label)
    of_queue = properties.of_queue(MAXIMUM_AM_PERCENT, path)
    settings.am_percent = properties.of_queue(MAXIMUM_AM_PERCENT, path, of_queue, label=label)
    settings.weight = _weight(properties, path, label)
    return settings


def _is_resources(text: str | None) -> bool:
    if text is None:
        return False
    return RESOURCES.match(text) is not None or VECTOR.match(text.replace(" ", "")) is not None


def _capacity(properties: Properties, path: str, label: str) -> float:
    key = CAPACITY.of(path, label)
    text = properties.text(key)
    if text is None or _is_resources(text) or text.endswith("w"):
        return 0.0
    value = _number(properties, key, text)
    return _of_percent(properties, key, value, 0.0)


def _maximum(properties: Properties, path: str, label: str) -> float:
    key = MAXIMUM_CAPACITY.of(path, label)
    text = properties.text(key)
    if text is None or _is_resources(text):
        return 1.0
    if label:
        if text.endswith("w"):
            return 1.0
        return _of_percent(properties, key, _number(properties, key, text), 1.0)
    value = _number(properties, key, text)
    return 1.0 if value == -1 else float32(value / 100)


def _of_percent(properties: Properties, key: str, value: float, otherwise: float) -> float:
    if value < 0 or value > 100:
        properties.refusals.add(ILLEGAL_ARGUMENT, f"{value:g} is not between 0 and 100", key)
        return otherwise
    return float32(value / 100)


def _number(properties: Properties, key: str, text: str) -> float:
    try:
        return parse_float(text)
    except ValueError:
        properties.refusals.add(NUMBER_FORMAT, f"{text!r} is not a number", key)
        return 0.0


def _weight(properties: Properties, path: str, label: str) -> float:
    key = CAPACITY.of(path, label)
    text = properties.text(key)
    if text is None or not text.endswith("w"):
        return -1.0
    weight = _number(properties, key, text[: text.index("w")])
    if (weight < -1e-6 and abs(weight + 1) > 1e-6) or weight > 10000:
        properties.refusals.add(ILLEGAL_ARGUMENT, f"the weight {text} is not between 0 and 10000", key)
        return -1.0
    return weight


def read_resources(
    settings: LabelSettings, properties: Properties, label: str, parent: LabelSettings | None, template: str
) -> None:
    """Absolute minimum and maximum, the latter inherited where only the former is given.

    `parent` are the parent's in the same partition, `template` is the path of the queue or of its template.
    """
    text = properties.text(CAPACITY.of(template, label))
    settings.absolute = bool(text) and RESOURCES.match(text or "") is not None
    minimum = _resources(properties, CAPACITY.of(template, label))
    maximum = _resources(properties, MAXIMUM_CAPACITY.of(template, label))
    above = parent.maximum_resource if parent is not None else NOTHING
    if parent is not None and maximum == NOTHING and NOTHING not in (minimum, above):
        maximum = above
    settings.minimum_resource, settings.maximum_resource = minimum, maximum


def _resources(properties: Properties, key: str) -> Amount:
    text = properties.text(key)
    if not text or RESOURCES.match(text) is None:
        return NOTHING
    memory_mb = vcores = 0
    for name, amount in _pairs(text):
        if trim(name) not in ("memory", "vcores"):
            continue
        value = _in_mb(properties, key, amount)
        if value is not None and trim(name) == "memory":
            memory_mb = value
        elif value is not None:
            vcores = value
    return (memory_mb, vcores) if memory_mb else NOTHING


def _pairs(text: str) -> list[tuple[str, str]]:
    """Names and amounts between brackets, cut as `String#split` does: empty parts at the end do not count."""
    found = []
    for pair in text[1:-1].split(","):
        parts = pair.rstrip("=").split("=")
        if len(parts) > 1:
            found.append((parts[0], parts[1]))
    return found


def read_vectors(settings: LabelSettings, properties: Properties, path: str, label: str) -> None:
    """Both capacities resource by resource; equal weights of all are one weight. Source: #setupQueueConfigs."""
    if path == ROOT:
        settings.vector = settings.maximum_vector = WHOLE
        return
    settings.vector = read_vector(properties, CAPACITY.of(path, label))
    settings.maximum_vector = read_vector(properties, MAXIMUM_CAPACITY.of(path, label)) or NO_MAXIMUM
    weight = weight_of(settings.vector)
    settings.weight = settings.weight if weight is None else weight


def _in_mb(properties: Properties, key: str, text: str) -> int | None:
    """A whole number with a unit; None for an unknown unit, which the class passes over."""
    found = re.search(r"[^\W\d_]+$", text)
    unit = found.group() if found else ""
    if unit not in MEMORY_UNITS:
        return None
    value = _long(properties, key, text.removesuffix(unit))
    return int(value * UNITS[unit] / UNITS["Mi"]) if unit else value


def read_amounts(properties: Properties, key: str) -> dict[str, int]:
    """Amounts of a text like `memory=1024,vcores=2` [MB], none of an empty one. Source: #createResourceFromString."""
    amounts: dict[str, int] = {}
    text = properties.text(key)
    for pair in trim(text).split(",") if text else ():
        found = _AMOUNT.fullmatch(trim(pair))
        if found is None or found.group(3) not in ("", "M", "m", "G", "g"):
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{trim(pair)!r} is not an amount like memory=1024", key)
            continue
        name = MEMORY_MB if found.group(1) == "memory" else found.group(1)
        factor = 1024 if name == MEMORY_MB and found.group(3) in ("G", "g") else 1
        amounts[name] = _long(properties, key, found.group(2)) * factor
    for name in amounts.keys() - {MEMORY_MB, VCORES}:
        properties.refusals.add("ResourceNotFoundException", f"there is no resource {name!r}", key)
    return amounts


def _long(properties: Properties, key: str, text: str) -> int:
    try:
        return parse_long(text)
    except ValueError:
        properties.refusals.add(NUMBER_FORMAT, f"{text!r} is not a whole number", key)
        return 0
