"""On-call training: drills on a real scheduler, what a trainee does in them, and what it is worth.

- `drill`: what a drill consists of, its exam among it, and how its file is read; `steps` are what a trainee and an
  instructor can do, and which of them survive when the run goes back. - `rules`: which acts are a trainee's; `tactics`:
what the check plays for a trainee who has understood nothing.
- `exercise`: one trainee's run of a drill, from a beginning that all its exercises share; names in answers.
- `harm`: work lost and applications that waited, measured on the run; `score` turns an exercise into points, and plays
records.
- `debrief`: what happened beside what was done, par, and what would have been; as Markdown and HTML.
- `protocol`: a drill played by a program, a JSON object a line; `bench`: its rivals.
- `records`: what each trainee scored, kept on this machine (SQLite), what a class did, and what to take next.
- `unfinished`: exercises that are being played, which outlive their program.
- `drill_check`: judges a drill by playing it; drafts of drills, and the words of their authors.
- `variation`: the same drill with another workload.

Words: a drill is a scenario with a brief, goals and questions; a step is anything a trainee does, acts of the operator
among them; par is the drill's reference solution, played; harm is judged by what the cluster suffers, whatever the act.
"""
