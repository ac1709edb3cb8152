"""Acts on applications: kill and move, those that are marked or under the cursor, or those a command names."""

from collections.abc import Sequence

from engine.observe.snapshot import ApplicationRow
from engine.scenario.acts import KillApplication, SetPriority
from tui import format as text
from tui.render.act_sheet import ActQuestion
from tui.render.noun import applications_at
from tui.screens import act_questions as questions
from tui.screens.asking import Asker
from tui.screens.board import Board
from tui.screens.forms import SIGNS
from tui.screens.kill_question import kill_question
from tui.screens.lookup import application_named
from tui.screens.marks import Marks
from tui.screens.menu import Choice, MenuScreen


class ApplicationActs:
    """The part of the board that acts on applications; every act names ids, never rows."""

    def __init__(self, board: Board, asker: Asker, marks: Marks) -> None:
        self._board, self._asker, self._marks = board, asker, marks

    def _chosen(self, key: str) -> list[ApplicationRow]:
        """The applications the rows are about, each once; says so when there is none."""
        picture, noun = self._board.state.picture, self._board.active.noun
        found = [] if picture is None else applications_at(noun, self._marks.rows(), picture)
        if not found:
            self._board.say(f"{key} needs an application: press 1 and choose one.")
        return found

    def _named(self, names: str) -> list[ApplicationRow]:
        """The applications called by numbers or ids; none, and words, when one of them is not there."""
        found, picture = {}, self._board.state.picture
        for name in names.split():
            row = None if picture is None else application_named(name, picture)
            if row is None:
                self._board.say(f"There is no application {name}.")
                return []
            found[row.id] = row
        return list(found.values())

    def kill(self) -> None:
        """Ask, then kill the marked applications, or the one under the cursor."""
        self._kill(self._chosen("K"), tuple(self._board.active.marks))

    def kill_named(self, names: str) -> None:
        """Ask, then kill applications by number or id."""
        rows = self._named(names)
        self._kill(rows, [row.id for row in rows])

    def _kill(self, rows: Sequence[ApplicationRow], spent: Sequence[str]) -> None:
        picture = self._board.state.picture
        if not rows or picture is None:
            return
        question = kill_question(rows, self._board.dialect.terms, picture)
        if question is None:
            self._board.say(questions.ended_words(rows))
        else:
            acts = {row.id: KillApplication(row.id) for row in questions.live(rows)}
            self._asker.ask_to_act(question._replace(acts=acts), "Killed {}.", spent=spent)

    def move(self) -> None:
        """Choose a queue, ask, then move the marked applications, or the one under the cursor, there."""
        board = self._board
        if board.refuse("application_acts.move"):
            return
        rows = self._chosen("M")
        if not rows or board.state.picture is None:
            return
        queues = questions.other_queues(rows, board.state.picture)
        if not queues:
            board.say("There is no other queue to move it to.")
            return
        some = [Choice(SIGNS[i] if i < len(SIGNS) else "", path, path) for i, path in enumerate(queues)]

        def chosen(path: str | None) -> None:
            if path is not None:
                self.move_to(" ".join(row.id for row in rows), path)

        whom = rows[0].id if len(rows) == 1 else text.plural(len(rows), "application")
        self._asker.open(MenuScreen(f"Move {whom} to", some, ascii_only=board.options.ascii_only), chosen)

    def move_to(self, names: str, queue: str) -> None:
        """Ask, then move applications to a queue."""
        board = self._board
        if board.refuse("application_acts.move"):
            return
        rows = self._named(names)
        if not rows or board.state.picture is None:
            return
        problem = questions.move_problem(rows, queue, board.state.picture)
        if problem:
            board.say(problem)
            return
        question = questions.move_question(rows, queue, board.state.picture)
        self._asker.ask_to_act(question, f"Moved {{}} to {text.plain(queue)}.", spent=[row.id for row in rows])

    def set_priority(self, name: str, priority: int) -> None:
        """Have an application be served before those of a smaller priority in its queue; nothing is lost by it."""
        if self._board.refuse("application_acts.set_priority"):
            return
        rows = self._named(name) if name else self._chosen("priority")
        if not rows:
            return
        if not questions.live(rows):
            self._board.say(questions.ended_words(rows))
            return
        act = SetPriority(rows[0].id, priority)
        words = f"Give {rows[0].id} {text.plain(rows[0].name)} the priority {priority}?"
        question = ActQuestion("Priority", (words,), f"Priority {priority}", acts={rows[0].id: act})
        self._asker.ask_to_act(question, f"Priority of {{}} is {priority}.", loses=False)
