"""On-call training: drills on a real scheduler, what a trainee does in them, and what it is worth.

- `drill`: what a drill consists of, as checked data; `drill_file` reads it, `steps` are what a trainee can do.
- `instructor_steps`: what an instructor does meanwhile, and which steps survive when the run goes back.
- `rules`: which acts are a trainee's; `tactics`: what the check plays of somebody who has understood nothing.
- `exercise`: one trainee's run of a drill; `stage` plays up to where it begins, once for all its exercises.
- `harm`: what was lost and who waited, measured on the run; `score` turns an exercise into points.
- `score_so_far`: what a record is worth while the exercise still goes on.
- `drill_check`: judges a drill by playing it.
- `variation`: the same drill with another workload.
- `debrief`: what happened beside what was done (`debrief_rows`), par, and what would have been (`what_if`);
  `debrief_document` writes it as Markdown and HTML.
- `protocol`: a drill played by a program, a JSON object a line.
- `history`: what each trainee scored, kept on this machine (SQLite); `curriculum` says what to take next.
- `exam`: what an exam adds to a drill.
- `class_report`: what a class did, played again.
- `unfinished`: exercises that are being played, which outlive their program.
- `answers`: names in answers, as typed, chosen and printed; `panes`: what a program can look at; `bench`: its rivals.
- `words`: what an author of drills can write.
- `draft`: a drill made of an instant of any scenario.

Words: a drill is a scenario with a brief, goals and questions; a step is anything a trainee does, acts of the operator
among them; par is the drill's reference solution, played; harm is judged by what the cluster suffers, whatever the act.
"""
