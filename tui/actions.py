"""The one registry of actions: what a key does, what help says about it, whether it changes the cluster.

Bindings, the line of hints, the help screen and read-only mode all come from this table. Lower-case letters look,
capitals act; nothing harmful sits on ctrl, delete or backspace; every action has an id, so keys can be rebound.
"""

from typing import NamedTuple

LOOK, TIME, ACT, APP = "look around", "clock", "act on the cluster", "program"  # Groups, in the order help shows them


ACTING = ("application_acts", "node_acts", "cluster_acts")  # The parts of the cluster screen that change the cluster


def changes_cluster(call: str) -> bool:
    """Tell whether a call is an act.

    >>> changes_cluster("node_acts.drain_named('n1')"), changes_cluster("navigation.zoom")
    (True, False)
    """
    return call.partition(".")[0] in ACTING


UNDO, REDO = "undo", "redo"  # The actions that take an act back, and bring it back


class Action(NamedTuple):
    """One thing a key can do on the cluster screen."""

    id: str  # Stable name; keys are bound to it
    keys: tuple[str, ...]  # Key names, the first is the one shown
    call: str  # What it calls: a part of the cluster screen, its method and arguments, as in `navigation.show('nodes')`
    title: str  # One or two words
    help: str  # One sentence
    group: str

    @property
    def changes_cluster(self) -> bool:
        return changes_cluster(self.call)


PANE = "pane."  # How the id of an action begins that goes to a pane
PANES = ("applications", "queues", "nodes", "reservations", "events", "containers", "users", "graphs")
"""The panes in the order of their digits, from 1."""

_PANE_ACTIONS = tuple(
    Action(f"{PANE}{name}", (str(digit),), f"navigation.show('{name}')", name, f"Go to the {name} pane.", LOOK)
    for digit, name in enumerate(PANES, start=1)
)

ACTIONS: tuple[Action, ...] = (
    *_PANE_ACTIONS,
    *(Action(id, tuple(keys.split()), call, title, sentence, group) for id, keys, call, title, sentence, group in (
        ("pane.next", "tab", "navigation.next_pane(1)", "next pane", "Go to the next pane.", LOOK),
        ("pane.previous", "shift+tab", "navigation.next_pane(-1)", "previous pane", "Go to the pane before.", LOOK),
        ("row.up", "up k", "navigation.move(-1)", "up", "Go up a row.", LOOK),
        ("row.down", "down j", "navigation.move(1)", "down", "Go down a row.", LOOK),
        ("row.left", "left h", "views.shift(-1)", "left", "Scroll the last column back; fold a queue.", LOOK),
        ("row.right", "right l", "views.shift(1)", "right", "Scroll the last column; unfold a queue.", LOOK),
        ("view", "v f5", "views.next_view", "view",
         "See nodes as list, racks or map; queues as a tree or its leaves.", LOOK),
        ("partition", "i", "views.next_partition", "partition",
         "CapacityScheduler: list the queues of the next partition (node label), then of all.", LOOK),
        ("row.page_up", "pageup", "navigation.move_pages(-1)", "page up", "Go up a page.", LOOK),
        ("row.page_down", "pagedown", "navigation.move_pages(1)", "page down", "Go down a page.", LOOK),
        ("row.first", "home g", "navigation.first", "first", "Go to the first row; of events the newest.", LOOK),
        ("row.last", "end G", "navigation.last", "last", "Go to the last row.", LOOK),
        ("filter", "slash f4 f3", "filtering.open", "filter", "Filter the pane: user:bob wait>5m -sql.", LOOK),
        ("match.next", "n", "filtering.next_match(1)", "next match",
         "Go to the next row that matches the filter.", LOOK),
        ("match.previous", "N", "filtering.next_match(-1)", "match before", "Go to the row before that matches.", LOOK),
        (UNDO, "u", "undoing.undo", "undo",
         "Undo the last act: the run goes on from just before it; ctrl+r brings it back.", TIME),
        (REDO, "ctrl+r", "undoing.redo", "redo", "Bring back what was undone last, as it was.", TIME),
        ("problems", "exclamation_mark", "filtering.problems", "problems",
         "Show only what is wrong, or all again.", LOOK),
        ("whole", "0", "filtering.whole", "whole", "Drop every filter: the whole cluster.", LOOK),
        ("sort", "o f6", "sorting.menu", "sort",
         "Choose what the pane is sorted by; of graphs, the time they show.", LOOK),
        ("sort.previous", "left_parenthesis", "sorting.column(-1)", "sort left", "Sort by the field before.", LOOK),
        ("sort.next", "right_parenthesis", "sorting.column(1)", "sort right", "Sort by the next field.", LOOK),
        ("sort.reverse", "r", "sorting.reverse", "reverse", "Turn the order round.", LOOK),
        ("describe", "d", "inspection.describe", "describe", "Show all that is known of the row.", LOOK),
        ("definition", "y", "inspection.define", "definition",
         "Show how the row's queue, node or application was defined.", LOOK),
        ("row.events", "e", "inspection.events", "its events",
         "Go to the events of the row only; esc comes back.", LOOK),
        ("why", "w", "inspection.why", "why",
         "Tell why it waits, what holds the resources it needs, whether it can ever run.", LOOK),
        ("fix", "W", "inspection.fix", "what to do now",
         "Try on copies what would start all that wait, the least harmful first.", LOOK),
        ("copy", "c", "inspection.copy_id", "copy id", "Copy the row's id through the terminal.", LOOK),
        ("zoom", "f", "navigation.zoom", "zoom", "Give the pane the whole screen, or give the room back.", LOOK),
        ("pane.hide", "m", "navigation.hide", "minimise", "Hide the pane; its digit brings it back.", LOOK),
        ("mark", "space", "marks.mark", "mark", "Mark the row or unmark it; acts take the marked rows.", LOOK),
        ("mark.all", "asterisk", "marks.mark_all", "mark all", "Mark every row that is shown.", LOOK),
        ("mark.none", "backslash", "marks.unmark_all", "unmark",
         "Take every mark of the pane away; so does esc.", LOOK),
        ("follow", "enter", "trail.follow", "follow", "Go into what the row is made of; esc comes back.", LOOK),
        ("owner", "b", "trail.owner", "belongs to", "Go up to what the row belongs to; esc comes back.", LOOK),
        ("plans", "s", "inspection.plans", "steps",
         "Spark: step through which application was given cores and why not the others.", LOOK),
        ("pause", "p", "clock.toggle_pause", "pause", "Stop the clock, or let it run.", TIME),
        ("tick", "t", "clock.step('second')", "tick", "One step: a second of the cluster's time, then stand.", TIME),
        ("tick.event", "full_stop", "clock.step('event')", "event", "The smallest step: one event.", TIME),
        ("past.on", "right_square_bracket", "clock.travel('on')", "on",
         "In the past: the next recorded step; else run to the next decision, then stand.", TIME),
        ("past.back", "left_square_bracket", "clock.travel('back')", "back", "Into the past: a recorded step.", TIME),
        ("past.back_mark", "left_curly_bracket", "clock.travel('mark.back')", "act before",
         "Into the past: to the alert before, or to just before the last act.", TIME),
        ("past.on_mark", "right_curly_bracket", "clock.travel('mark.on')", "next act",
         "In the past: to the next alert or act, or to the present.", TIME),
        ("scale.less", "less_than_sign", "time_scale.change(-1)", "less time",
         "Pulse and graphs: show less of the time before the present.", TIME),
        ("scale.more", "greater_than_sign", "time_scale.change(1)", "more time",
         "Pulse and graphs: show more of the time, up to the whole run.", TIME),
        ("branch", "B", "cluster_acts.branch", "branch",
         "In the past: go on from here. Live or in a log: the twin.", ACT),
        ("faster", "plus equals_sign", "clock.change_speed(1)", "faster", "Run the clock faster.", TIME),
        ("slower", "minus underscore", "clock.change_speed(-1)", "slower", "Run the clock slower.", TIME),
        ("submit", "S", "cluster_acts.submit", "submit", "Submit an application; a form asks for its size.", ACT),
        ("kill", "K f9", "application_acts.kill", "kill",
         "Kill the application under the cursor, or those marked; asks first.", ACT),
        ("preemption", "P", "cluster_acts.toggle_preemption", "preempt", "Switch preemption on or off.", ACT),
        ("reservation", "R", "cluster_acts.cycle_reservation", "reserve",
         "Change the reservation rule: strict, limited, off, strict.", ACT),
        ("drain", "D", "node_acts.drain", "drain",
         "Take the node under the cursor, or those marked, out or bring it back.", ACT),
        ("spread_out", "O", "cluster_acts.toggle_spread_out", "spread",
         "Spark: spread executors out or pack them, from the next pass on.", ACT),
        ("restart", "U", "cluster_acts.restart", "restart",
         "Restart the ResourceManager or JobTracker; asks first.", ACT),
        ("move", "M", "application_acts.move", "move",
         "Move the application under the cursor, or those marked, to another queue.", ACT),
        ("queue.set", "E", "cluster_acts.edit_queue", "queue",
         "Change a setting of the row's queue; shares are shown first.", ACT),
        ("node.resize", "Z", "node_acts.resize", "resize", "Change the size of the row's node; type it.", ACT),
        ("node.add", "J", "node_acts.add", "add", "Have a new node join; type its host and its size.", ACT),
        ("node.label", "L", "node_acts.label", "label", "Move the row's node to another partition.", ACT),
        ("reload", "F", "cluster_acts.reload", "reload", "Load an allocation file: a fair-scheduler.xml.", ACT),
        ("menu", "a", "act_menu.open", "acts", "Choose what to do from a menu.", APP),
        ("command", "colon", "command_line.open", "cmd",
         "Type a command: kill 183354, apps user:bob, goto 09:30.", APP),
        ("palette", "ctrl+p", "command_line.palette", "palette", "Find an action by a few letters of its name.", APP),
        ("table.save", "x", "program.save_table", "save table", "Save the pane's table as CSV and JSON.", APP),
        ("screen.save", "z", "program.save_screen", "save screen", "Save the screen as SVG and as text.", APP),
        ("columns", "f8", "program.columns", "columns", "Choose which columns the pane shows.", LOOK),
        ("alerts", "X f7", "program.alerts", "alerts",
         "List the alerts: since when, until when, what each affects and its rule; enter goes there.", LOOK),
        ("theme", "f2", "program.themes", "theme", "Choose the colours; each is tried while the cursor is on it.", APP),
        ("help", "question_mark f1", "program.help", "help", "Show this help.", APP),
        ("leave", "escape", "board.leave", "back", "Back to the present; close what is open; end zoom.", APP),
        ("quit", "q f10 ctrl+q ctrl+c", "program.quit", "quit", "Leave the program.", APP),
    )),
)  # fmt: skip

DRILL = Action(
    "drill",
    ("H", "f12"),
    "program.drill",
    "drill",
    "Open the drill: its questions, hints, brief and end; the clock is paused meanwhile.",
    APP,
)  # Added to the registry while a drill is played

EXAM = (
    Action("exam.questions", ("9",), "program.drill('questions')", "questions", "Go to the questions.", APP),
    Action("exam.pages", ("I",), "program.drill('pages')", "pages", "Read every page; the clock runs on.", APP),
    Action("exam.end", ("Q",), "program.drill('end')", "hand in", "Hand in: say what it is worth, then see.", APP),
)  # Added while an exam is taken

SEAT = DRILL._replace(title="seat", help="Go back to what the trainee sees and does.")
"""In its place on an instructor's screen."""
