"""Builds the compiled wheel when `SCHEDLAB_COMPILE=1` asks for it; without, the wheel is pure Python.

The modules that decide and simulate are copied to a scratch folder, put into the words of mypyc (`rewritten`) and
compiled there; nothing is written into the checkout. Where compiling fails, a warning says so and the wheel is pure.

python hatch_build.py FOLDER    compile into FOLDER/engine, as `make test-compiled` does
"""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ASKED: Final = "SCHEDLAB_COMPILE"
"""The environment variable that asks for a compiled wheel."""

ROOT: Final = Path(__file__).parent

AREAS: Final = ("model", "schedulers", "control_plane", "simulation", "workload")
"""The parts of the engine that are compiled."""

STRUCTS: Final = (
    "Struct",
    "Event",
    "Answer",
    "Settings",
    "Settings34",
    "Allocation",
    "Row",
    "Pickler",
    "Random",
    "ABC",
)
"""How bases end that mypyc cannot make a class of; a module with such a class stays Python."""

INTERPRETED: Final = frozenset({"engine/schedulers/interface.py"})
"""Other modules that stay Python: one with a `NamedTuple` that has an `object` in it."""

GROUP: Final = "schedlab"
"""The name of the library that has all compiled modules in it."""

REPLACED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "engine/model/decision.py": ("ContainerId = tuple[int, int, int]", "ContainerId = tuple[int, ...]"),
    }
)
"""File → a text in it and what stands there where the engine is compiled: an id stays one object."""

COPIED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "shared": "copy.{0} = original.{0}",
        "owned": "copy.{0} = original.{0}.copy()  # type: ignore[attr-defined]",
        "reference": "copy.{0} = known[original.{0}] if original.{0} in known else copies.begin(original.{0})",
        "references": "copy.{0} = copies.of_members(original.{0})",
        "lazy": "copy.{0} = copies.of_lazy(original.{0})",
        "nested": "copy.{0} = copies.of_nested(original.{0})",
        "dropped": "copy.{0} = None",
    }
)
"""How a slot is copied (see `engine.state`), as a statement."""


HEAD: Final = """
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast
from engine.fork import register_compiled
if TYPE_CHECKING:  # what is compiled needs it no more
    from mypy_extensions import mypyc_attr
def interpreted(kind: Any) -> Any:
    return kind
"""
"""What a module with classes begins with. A class with a decorator that mypyc does not know stays one of Python."""


class CompiledWheel(BuildHookInterface[Any]):
    """Puts the compiled modules beside their sources in the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What compiling needs: mypyc, a builder of extensions, and what the engine imports."""
        return ["mypy>=2.4", "setuptools>=77", *self.metadata.core.dependencies] if os.environ.get(ASKED) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile where that is asked for."""
        if not os.environ.get(ASKED) or version == "editable":
            return
        self._scratch = tempfile.TemporaryDirectory()
        made = Path(self._scratch.name)
        asked = subprocess.run([sys.executable, __file__, str(made)], check=False)
        if asked.returncode:
            self.app.display_warning("compiling failed; the wheel is pure Python")
            return
        build_data["pure_python"], build_data["infer_tag"] = False, True
        build_data["force_include"] |= {str(path): str(path.relative_to(made)) for path in libraries(made)}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the scratch folder."""
        if hasattr(self, "_scratch"):
            self._scratch.cleanup()


def libraries(folder: Path) -> list[Path]:
    """What was compiled into a folder."""
    found = (*folder.glob("*.*"), *(folder / "engine").rglob("*.*"))
    return [path for path in found if path.suffix in {".so", ".pyd"}]


def compiled_modules() -> list[Path]:
    """The modules that are compiled, as paths below the root."""
    found = (path.relative_to(ROOT) for area in AREAS for path in sorted((ROOT / "engine" / area).rglob("*.py")))
    return [path for path in found if not _stays_python(path)]


def _stays_python(path: Path) -> bool:
    if path.name.startswith(("__init__", "test_")) or path.name.endswith("view.py") or path.as_posix() in INTERPRETED:
        return True
    classes = [node for node in ast.parse((ROOT / path).read_bytes()).body if isinstance(node, ast.ClassDef)]
    return any(ast.unparse(base).partition("[")[0].endswith(STRUCTS) for each in classes for base in each.bases)


def rewritten(source: str, module: ModuleType) -> str:
    """A module in the words of mypyc: a class of the state has no metaclass and is registered after its body."""
    from engine import state  # noqa: PLC0415 -- only a compiled wheel needs the engine

    lines = source.splitlines()
    tree = ast.parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in reversed(classes):
        kind = getattr(module, node.name)
        begin, end = node.lineno - 1, node.end_lineno or 0
        if isinstance(kind, state.State):
            lines[end:end] = _registered(kind, state.declared(kind), is_constant=state.is_constant(kind))
            head = slice(begin, node.body[0].lineno - 1)
            lines[head] = [re.sub(r", metaclass=State|\(metaclass=State\)", "", line) for line in lines[head]]
            for line in _defaults_of_none(node):
                lines[line] = re.sub("= None(?= *(#|$))", "= cast(Any, None)", lines[line])
            lines.insert(begin, "@mypyc_attr(allow_interpreted_subclasses=True)")
        elif issubclass(kind, tuple):
            lines.insert(end, f"{node.name}.__annotations__.update({_annotations(node)!r})")
        elif "__weakref__" in vars(kind).get("__slots__", ()):
            lines.insert(begin, "@interpreted")
    if classes:
        first = tree.body[0]
        lines.insert(
            (first.end_lineno or 0) if isinstance(first, ast.Expr) else 0,
            HEAD,
        )
    return "\n".join([*lines, ""])


def _annotations(node: ast.ClassDef) -> dict[str, str]:
    """The annotations of a named tuple, of which mypyc keeps less."""
    return {
        ast.unparse(each.target): ast.unparse(each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)
    }


def _defaults_of_none(node: ast.ClassDef) -> list[int]:
    """The lines of slots that are None by default; mypyc forgets that default where the type is a wide union."""
    return [
        (each.end_lineno or 0) - 1
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Constant) and each.value.value is None
    ]


def _registered(kind: type, ways: Mapping[str, str], *, is_constant: bool) -> list[str]:
    """What follows the body of a class of the state."""
    name = kind.__name__
    own = {slot: ways[slot] for slot in vars(kind)["__slots__"]}
    if is_constant:
        return [f"register_compiled({name}, {own!r}, None)"]
    return [
        f"def _fill_{name}(originals: Iterable[Any], empty: Iterable[Any], copies: Any) -> None:",
        "    known: dict[Any, Any] = copies.known",
        "    for one, blank in zip(originals, empty):",
        f"        original: {name} = one; copy: {name} = blank",
        *("        " + COPIED[way].format(slot) for slot, way in ways.items()),
        "        pass",
        f"register_compiled({name}, {own!r}, _fill_{name})",
    ]


def write_sources(folder: Path, modules: Sequence[Path]) -> None:
    """The engine, as it is compiled, in a folder."""
    shutil.copytree(
        ROOT / "engine", folder / "engine", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "test_*")
    )
    sys.path.insert(0, str(ROOT))
    for path in modules:
        module = importlib.import_module(".".join(path.with_suffix("").parts))
        (folder / path).write_text(rewritten((ROOT / path).read_text("utf-8"), module), "utf-8")
    for name, (found, instead) in REPLACED.items():
        text = (ROOT / name).read_text("utf-8")
        if text.count(found) != 1:
            raise ValueError(f"{name}: has no {found!r}")
        (folder / name).write_text(text.replace(found, instead), "utf-8")


def compile_into(folder: Path) -> int:
    """Compile the engine, in one group, on all cores, and put the libraries into a folder; 0 when that succeeded."""
    modules = compiled_modules()
    code = COMPILE.format(
        options=["--config-file", str(ROOT / "pyproject.toml"), "--no-warn-unused-ignores", "--allow-any-generics"],
        modules=list(map(str, modules)),
        group=GROUP,
        folder=str(folder),
    )
    with tempfile.TemporaryDirectory() as scratch:
        write_sources(Path(scratch), modules)
        return subprocess.run([sys.executable, "-c", code], cwd=scratch, check=False).returncode


COMPILE: Final = """
import os
from multiprocessing.pool import ThreadPool
from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext

class InParallel(build_ext):
    def build_extensions(self):
        compile_one = self.compiler.compile
        def compile_all(sources, *arguments, **options):
            with ThreadPool(os.cpu_count()) as pool:
                made = pool.map(lambda source: compile_one([source], *arguments, **options), sources, 1)
            return [each for some in made for each in some]
        self.compiler.compile = compile_all
        super().build_extensions()

extensions = mypycify([*{options}, *{modules}], group_name={group!r}, multi_file=True, debug_level="0",
                      opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"))
setup(name={group!r}, packages=[], py_modules=[], ext_modules=extensions, cmdclass=dict(build_ext=InParallel),
      script_args=["-q", "build_ext", "--build-lib", {folder!r}, "--parallel", str(os.cpu_count())])
"""


if __name__ == "__main__":
    sys.exit(compile_into(Path(sys.argv[1]).resolve()))
