"""Where a cluster's settings say its allocation file is.

Source: AllocationFileLoaderService#getAllocationFile, Hadoop 2.7.2 and 3.4.1.
"""

from pathlib import Path
from typing import Final

from engine.errors import Problem
from engine.formats.hadoop_configuration import HadoopConfiguration

KEY: Final = "yarn.scheduler.fair.allocation.file"
DEFAULT: Final = "fair-scheduler.xml"
_CLASS: Final = "yarn.resourcemanager.scheduler.class"


def uses_fair_scheduler(settings: HadoopConfiguration) -> bool:
    """Whether the settings choose the fair scheduler."""
    return settings.values.get(_CLASS, "").strip().endswith("FairScheduler")


def allocation_place(settings: HadoopConfiguration, beside: Path) -> tuple[Path | None, tuple[Problem, ...]]:
    """The allocation file that is meant, if it is there, and a warning if it is not.

    A relative name is looked for on Hadoop's class path, which begins with the folder of the settings; so that is
    where it is looked for here. Settings of another scheduler mean none.

    Args:
        settings: As read.
        beside: The folder of the settings.
    """
    is_chosen = KEY in settings.values and _CLASS not in settings.values
    if not is_chosen and not uses_fair_scheduler(settings):
        return None, ()
    name = settings.values.get(KEY, DEFAULT)
    path = Path(name) if name.startswith("/") else beside / name
    if name and path.is_file():
        return path, ()
    file, line = settings.places.get(KEY, settings.places.get(_CLASS, ("", 0)))
    return None, (Problem(*_missing(name, beside, path), key=KEY, file=file, line=line),)


def _missing(name: str, beside: Path, path: Path) -> tuple[str]:
    if ":/" in name:
        return (f"{name} is not on this machine and is not read",)
    if name.startswith("/"):
        return (f"{path} is not here; where it is not, the scheduler does not start",)
    where = "" if name == name.strip() else ", blanks and all"
    return (f"{name!r} is not in {beside}{where}; where it is on no class path, the scheduler has no allocation file",)
