"""The small changes a mutant may be made of, found in a syntax tree.

Only functions are changed, for only they can be exchanged in a running process; strings are left alone, for stored
screens and journals compare them whole.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
Statement = ast.stmt | ast.ExceptHandler | ast.match_case

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
EMPTY = {
    **dict.fromkeys(("bool",), "False"),
    **dict.fromkeys(("int", "float"), "0"),
    **dict.fromkeys(("str",), "''"),
    **dict.fromkeys(("list", "Sequence", "Iterable", "Iterator", "Collection"), "[]"),
    **dict.fromkeys(("dict", "Mapping"), "{}"),
    **dict.fromkeys(("set", "frozenset"), "frozenset()"),
    **dict.fromkeys(("tuple",), "()"),
}
"""Head of a return annotation → what is returned instead; else None."""
UNCHANGED = {"annotation", "returns", "decorator_list"}
"""Fields of syntax whose values no behaviour depends on."""
PROBE = "_mutant_is_run"
"""The builtin that a probe calls with its number."""
LONG = 160
NEAR = 60
"""Characters of a statement that is shown whole, and of what is shown of a longer one on each side of the change."""


@dataclass(frozen=True)
class Mutant:
    """One change: the function and the lines it is in, what stands there and what would.

    `line` is the function's first; `slot` and `variant` number the change within the function.
    """

    path: str
    function: str
    line: int
    lines: range
    before: str
    after: str
    slot: int
    variant: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by when lines move."""
        return self.path, self.function, self.before, self.after

    @property
    def sentence(self) -> str:
        """The same as a line of text."""
        return f"{self.path} {self.function}: {self.before} → {self.after}"


@dataclass(frozen=True)
class _Slot:
    """A place in the tree that may be filled with something else, in its statement and its function."""

    statement: Statement
    function: Function
    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        value = getattr(self.parent, self.field)
        found: ast.AST = value if self.index is None else value[self.index]
        return found

    def fill(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(root: Path, path: Path) -> list[Mutant]:
    """Every mutant of a file, in the order of its text; of several that read the same in one function, the first."""
    place = path.relative_to(root).as_posix()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [one for name, _, function in functions(tree) for one in _mutants_of(place, name, function)]
    return list({one.key: one for one in reversed(found)}.values())[::-1]


def functions(tree: ast.Module | ast.ClassDef, outer: str = "") -> Iterator[tuple[str, list[ast.ClassDef], Function]]:
    """(qualified name, enclosing classes, definition) of every function that is in no other function."""
    for node in tree.body:
        if isinstance(node, Function):
            yield outer + node.name, [], node
        elif isinstance(node, ast.ClassDef):
            for name, classes, function in functions(node, f"{outer}{node.name}."):
                yield name, [node, *classes], function


def changed(source: str, mutant: Mutant) -> tuple[ast.Module, Function]:
    """(module of nothing but the mutant's function inside its classes, that function), with the change made."""
    tree, classes, function = _found(source, mutant)
    slot = list(_slots(function, function, function))[mutant.slot]
    slot.fill(variants(slot.node, slot.function)[mutant.variant])
    return _enclosed(tree, classes, function), function


def probed(source: str, numbered: dict[int, Mutant]) -> tuple[ast.Module, Function]:
    """The same of mutants of one function, with a probe before each one's statement instead of its change."""
    tree, classes, function = _found(source, next(iter(numbered.values())))
    slots = list(_slots(function, function, function))
    blocks = {
        id(statement): block
        for node in ast.walk(function)
        for _, block in ast.iter_fields(node)
        if isinstance(block, list)
        for statement in block
        if isinstance(statement, ast.stmt)
    }
    for number, mutant in numbered.items():
        statement: Statement = slots[mutant.slot].statement
        block = blocks.get(id(statement), function.body)
        place = block.index(statement) if statement in block else 0
        call = ast.parse(f"{PROBE}({number})").body[0]
        for node in ast.walk(call):
            ast.copy_location(node, block[place])
        block.insert(place, call)
    return _enclosed(tree, classes, function), function


def _found(source: str, mutant: Mutant) -> tuple[ast.Module, list[ast.ClassDef], Function]:
    """(module, classes around the mutant's function, that function)."""
    tree = ast.parse(source)
    for name, classes, function in functions(tree):
        if (name, function.lineno) == (mutant.function, mutant.line):
            return tree, classes, function
    raise LookupError(mutant)


def variants(node: ast.AST, function: Function) -> list[ast.AST]:
    """What may stand in place of a piece of syntax in a function: each is one mutant."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            return [_with(node, ops=[COMPARISONS[type(operator)]()])]
        case ast.BoolOp():
            return [_with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())]
        case ast.UnaryOp(op=ast.Not()):
            return [node.operand]
        case ast.BinOp() if type(node.op) in OPERATORS:
            return [_with(node, op=OPERATORS[type(node.op)]())]
        case ast.Constant(value=bool(value)):
            return [_with(node, value=not value)]
        case ast.Constant(value=int(value) | float(value)):
            return [_with(node, value=value + 1), _with(node, value=value - 1)] if value else [_with(node, value=1)]
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            return [_with(node, func=_with(node.func, id=NAMES[name]))]
        case ast.stmt():
            return _statements(node, function)
        case _:
            return []


def _statements(node: ast.stmt, function: Function) -> list[ast.AST]:
    """A statement left out, `+=` for `-=`, a return of nothing."""
    nothing = ast.copy_location(ast.Pass(), node)
    match node:
        case ast.Return(value=ast.expr()):
            empty = _with(node, value=ast.parse(_empty(function.returns), mode="eval").body)
            return [] if ast.unparse(empty) == ast.unparse(node) else [empty]
        case ast.AugAssign() if type(node.op) in OPERATORS:
            return [nothing, _with(node, op=OPERATORS[type(node.op)]())]
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Delete() | ast.Raise():
            return [nothing]
        case ast.Continue() | ast.Break():
            return [nothing]
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            return [nothing]
        case _:
            return []


def _empty(annotation: ast.expr | None) -> str:
    """The source of a value that says nothing, of the annotated type when that is a plain one."""
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return EMPTY.get(head.id, "None") if isinstance(head, ast.Name) else "None"


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """A copy of a node in which some fields differ."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _mutants_of(path: str, name: str, function: Function) -> Iterator[Mutant]:
    for number, slot in enumerate(_slots(function, function, function)):
        node = slot.node
        before, lines = _header(slot.statement), _lines(slot, function)
        for variant, other in enumerate(variants(node, slot.function)):
            slot.fill(other)
            after = _header(other if slot.statement is node else slot.statement)
            slot.fill(node)
            yield Mutant(path, name, function.lineno, lines, *_around_difference(before, after), number, variant)


def _slots(node: ast.AST, statement: Statement, function: Function) -> Iterator[_Slot]:
    """Every place below a node, outermost first; `zip(…, strict=True)` is left, for it asserts what always holds."""
    for field, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children if field not in UNCHANGED else []):
            if not isinstance(child, ast.AST) or (isinstance(child, ast.keyword) and child.arg == "strict"):
                continue
            inner = child if isinstance(child, Statement) else statement
            yield _Slot(inner, function, node, field, index if isinstance(value, list) else None)
            yield from _slots(child, inner, child if isinstance(child, Function) else function)


def _header(statement: ast.AST) -> str:
    """A statement as text, without the statements inside it."""
    alone = _with(
        statement,
        **{name: [] for name in ("body", "orelse", "handlers", "finalbody", "cases") if hasattr(statement, name)},
    )
    return ast.unparse(alone).strip()


def _around_difference(before: str, after: str) -> tuple[str, str]:
    """Two texts; when they are long, only what is near to where they differ."""
    if max(len(before), len(after)) <= LONG:
        return before, after
    begin = _alike(before, after)
    end = _alike(before[begin:][::-1], after[begin:][::-1])
    return _cut(before, begin, len(before) - end), _cut(after, begin, len(after) - end)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _cut(text: str, begin: int, end: int) -> str:
    start, stop = max(0, begin - NEAR), min(len(text), end + NEAR)
    return "…" * (start > 0) + text[start:stop] + "…" * (stop < len(text))


def _lines(slot: _Slot, function: Function) -> range:
    """The lines one of which runs when the change does: for a default, those of its function."""
    node = function if slot.statement is function else slot.node
    if not isinstance(node, ast.expr | ast.stmt | ast.ExceptHandler | ast.pattern):
        node = function
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _enclosed(tree: ast.Module, classes: list[ast.ClassDef], function: Function) -> ast.Module:
    """The module with nothing but the function inside its classes, and nothing else in those."""
    tree.body = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    inner: ast.stmt = function
    for node in reversed(classes):
        node.body = [inner]
        inner = node
    tree.body.append(inner)
    return ast.fix_missing_locations(tree)
