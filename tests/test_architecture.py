"""The project's own rules, checked: who may import whom, how long things may get, what no file may contain."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PRODUCT = ("engine", "tui", "scenarios")
FILE_LINES = 600
FUNCTION_LINES = 60
NESTING = 3
LAST_DEFENCES = {"tui/session/session.py", "tui/session/driving.py", "tui/cli/cli.py"}
"""Where an error of ours is turned into words, so that no traceback reaches a user."""
TERMINAL = ("textual", "rich", "typer", "click")
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}

IGNORE = re.compile(r"#\s*(?:type:\s*ignore|noqa|pragma:\s*no)\b.*$")
PLACES = re.compile(
    r"pypi\.(?!simple)|pythonhosted|registry\.npm|crates\.io|repo1?\.maven|proxy\.golang|deb\.debian"
    r"|(?<![\w.])/(?:work|root|Users)/\w|/home/\w+/"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(*packages: str) -> list[Path]:
    """Every Python file of the packages, in order of path."""
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parsed(*packages: str) -> list[tuple[str, ast.Module]]:
    """(path from the root, syntax tree) of every Python file of the packages."""
    return [(place(path), _tree_of(path)) for path in sources(*packages)]


@cache
def _tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """All there is in a tree, which several rules go through."""
    return list(ast.walk(tree))


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in nodes(tree) if isinstance(node, Function))


def depth(statements: list[ast.stmt]) -> int:
    """How deep branches and loops nest; an `elif` is as deep as its `if`, and a `with` adds nothing."""
    return max((_depth_of(statement) for statement in statements), default=0)


def _depth_of(statement: ast.stmt) -> int:
    if isinstance(statement, ast.With | ast.AsyncWith):
        return depth(statement.body)
    if isinstance(statement, ast.If):
        chained = len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If)
        return max(1 + depth(statement.body), depth(statement.orelse) + (0 if chained else bool(statement.orelse)))
    if isinstance(statement, ast.Match):
        return 1 + max(depth(case.body) for case in statement.cases)
    if isinstance(statement, ast.Try):
        handled = [inner for handler in statement.handlers for inner in handler.body]
        return 1 + depth([*statement.body, *handled, *statement.orelse, *statement.finalbody])
    if isinstance(statement, ast.For | ast.AsyncFor | ast.While):
        return 1 + depth([*statement.body, *statement.orelse])
    return 0


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run a line of Python in a fresh interpreter at the project's root."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def committed() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.is_file() and path.suffix not in {".gz", ".png"}]


@pytest.mark.parametrize("module", ["engine", "engine.run", "engine.simulation.simulation", "engine.explain"])
def test_the_engine_loads_no_terminal_library(module: str) -> None:
    """Importing the engine brings in nothing that draws on a terminal or parses a command line."""
    loaded = run_python(f"import sys, {module}; print(*(name for name in {TERMINAL} if name in sys.modules))")

    assert (loaded.stdout.strip(), loaded.stderr, loaded.returncode) == ("", "", 0)


def test_the_command_line_starts_without_textual() -> None:
    loaded = run_python("import sys, tui.cli.cli; print('textual' in sys.modules)")

    assert (loaded.stdout.strip(), loaded.stderr) == ("False", "")


def test_files_stay_short() -> None:
    lines = {place(path): len(path.read_bytes().splitlines()) for path in sources(*PRODUCT, "tests")}

    assert {path: count for path, count in lines.items() if count > FILE_LINES} == {}


def test_functions_stay_short() -> None:
    long = {
        f"{path}:{function.lineno} {function.name}": lines
        for path, tree in parsed(*PRODUCT, "tests")
        for function in functions(tree)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    }

    assert long == {}


def test_branches_nest_little() -> None:
    deep = {
        f"{path}:{function.lineno} {function.name}": nested
        for path, tree in parsed(*PRODUCT)
        for function in functions(tree)
        if (nested := depth(function.body)) > NESTING
    }

    assert deep == {}


def test_the_engine_imports_at_the_top() -> None:
    lazy = [
        f"{path}:{node.lineno}"
        for path, tree in parsed("engine")
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]

    assert lazy == []


def test_no_files_import_each_other_in_a_circle() -> None:
    """No chain of imports leads back to its first file, those under TYPE_CHECKING and inside functions included."""
    files = parsed(*PRODUCT)
    modules = {module_of(path): path for path, _ in files}
    imports = {path: {modules[name] for name in imported(tree) if name in modules} - {path} for path, tree in files}

    TopologicalSorter(imports).prepare()  # raises an error that names the circle


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported(tree: ast.Module) -> Iterator[str]:
    """The modules that a file may name in its imports, and what it takes from them."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_except_catches_everything() -> None:
    """Neither a bare `except` nor one for `Exception` is in the product but for its last lines of defence."""
    broad = [
        f"{path}:{node.lineno}"
        for path, tree in parsed(*PRODUCT)
        if path not in LAST_DEFENCES
        for node in nodes(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}))
    ]

    assert broad == []


def test_what_others_implement_has_a_docstring() -> None:
    """Modules, protocols with their methods and the promised API say what they are; others where a name does not."""
    silent = [
        f"{path}:{getattr(node, 'lineno', 1)} {getattr(node, 'name', 'module')}"
        for path, tree in parsed(*PRODUCT)
        for node in [tree, *public_definitions(tree, are_promised=path == "engine/api.py")]
        if ast.get_docstring(node) in {None, "TODO"}
    ]

    assert silent == []


def public_definitions(
    tree: ast.Module | ast.ClassDef, *, are_promised: bool = False
) -> Iterator[Function | ast.ClassDef]:
    """Protocols of a module, and their public methods; where they are promised, all public functions and classes."""
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not is_setter(node):
            is_protocol = any(ast.unparse(base).startswith("Protocol") for base in getattr(node, "bases", ()))
            if is_protocol or are_promised or isinstance(tree, ast.ClassDef):
                yield node
            if isinstance(node, ast.ClassDef) and is_protocol:
                yield from public_definitions(node)


def is_setter(node: Function | ast.ClassDef) -> bool:
    """Whether it is the second half of a property, whose first half is documented."""
    return any(isinstance(each, ast.Attribute) and each.attr == "setter" for each in node.decorator_list)


def test_names_say_what_is_inside() -> None:
    vague = [place(path) for path in sources(*PRODUCT) if VAGUE_NAMES & {path.stem, path.parent.name}]

    assert vague == []


def test_every_ignore_has_a_reason() -> None:
    unexplained = [
        f"{place(path)}:{number}"
        for path in sources(*PRODUCT, "tests")
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (found := IGNORE.search(line)) and not has_reason(found.group())
    ]

    assert unexplained == []


def has_reason(comment: str) -> bool:
    """Whether a comment that silences a checker goes on with words after the rule."""
    rule = re.match(r"#\s*(?:type:\s*ignore\[[\w, -]+\]|noqa:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|pragma:\s*no \w+)", comment)
    return rule is not None and len(re.findall(r"[A-Za-z]{2,}", comment[rule.end() :])) >= 2


@pytest.mark.parametrize(
    ("comment", "explained"),
    [
        ("# type: ignore[arg-type]  # the stub is older than the library", True),
        ("# noqa: PLC0415 - only this command needs it", True),
        ("# type: ignore[arg-type]", False),
        ("# type: ignore", False),
        ("# noqa", False),
        ("# noqa: PLC0415, E501", False),
    ],
)
def test_a_reason_is_words_after_the_rule(comment: str, *, explained: bool) -> None:
    assert has_reason(comment) is explained


def test_nothing_committed_names_a_machine() -> None:
    named = [
        f"{place(path)}:{number}"
        for path in committed()
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if PLACES.search(line)
    ]

    assert named == []


@pytest.mark.parametrize(
    ("source", "nested"),
    [
        ("x = 1", 0),
        ("if a:\n  b\nelif c:\n  d\nelse:\n  e", 1),
        ("for a in b:\n  if c:\n    d", 2),
        ("with a:\n  for b in c:\n    d", 1),
        ("try:\n  a\nexcept E:\n  if b:\n    c", 2),
        ("match a:\n  case 1:\n    if b:\n      c", 2),
    ],
)
def test_depth_counts_branches_and_loops(source: str, nested: int) -> None:
    assert depth(ast.parse(source).body) == nested
