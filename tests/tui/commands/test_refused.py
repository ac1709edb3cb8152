"""What cannot be is refused before anything is done: all problems at once, in words that name the way out."""

from pathlib import Path

import pytest

from tests.tui.screen_text import transcript

LINES = """
pla
play nowhere
fix rm.log --config missing.xml
play small.toml -q --until 25:00
play small.toml -q --until -5
play small.toml -q --set sede=1
play small.toml -q -o journal:/nowhere/at/all
play small.toml -q --set yarn.scheduler.minimum-allocation-mb=lots
play small.toml --web
get nowhere
get small.toml --at noon --interval often
get small.toml --at -5
get small.toml node
get small.toml -c them=light --release 3 --assume a=1
get small.toml -o csv
get kept --at 08:00
get kept --at +2m
get kept --at soon
get rm1-8088-1 state --set seed=1
get small.toml workload -o sl
get small.toml workload -o sls:/nowhere/x
get /nowhere/x workload
get conf settings --nodes 4
get conf settings --nodes x8g
get conf settings --nodes 4x
get conf settings --nodes 0x8g/8
get conf settings --nodes 4x8q/8
get conf settings --nodes 4x8g/0
get conf settings -D most
get conf queues
get conf,nowhere.xml settings
get rm9:8088 -o t.toml
get small.toml scenario --at 5 -o toml --assume remaining=soon --assume remaining.x=never --assume remaining.y=5m
get small.toml picture -o a.jpg
get small.toml picture -o a.svg --size 120
get small.toml picture -o a.svg --size 19x40
get small.toml picture -o a.svg --size 400x151
get small.toml picture node -o a.svg
get small.toml picture nobody -o a.svg
get small.toml picture -o small.toml
get small.toml picture -o there.svg
get small.toml picture -o no/such/folder.svg
why small.toml 1 a
why small.toml nobody
why small.toml queue/nowhere
why small.toml node/nowhere
why small.toml 183354 --at later
why small.toml 183354 --priority 7 --at +5s
why small.toml queue/a --priority 1 --at +5s
why kept 183354 --at +6m
why kept 183354 --set seed=2
play small.toml --keep ../x
why kapt 183354
why fair-ordr 1
why rm1-8088-1 none
why rm1-8088-1 queue/none
why rm1-8088-1 node/none
why rm1-8088-1 1 --at +9h
fix small.toml third
fix small.toml 183354 --at +0.1s --apply 99
compare small.toml
compare small.toml fair-2.7
compare small.toml nonsense.key=3
compare small.toml fifo -o csv -o md
compare small.toml ./not-there.xml
compare small.toml --config yarn-site.xml
compare smal.toml capcity-3.4 -o jsn
compare small.toml spark-packing mr1-fifo
why smal.toml 1 --prioritty 3 --at noon
serve smal.toml --listen x --speed 0.0001
check no.toml --ignore foo -o jsn
import no.json --queue-map a
drill new smal.toml -o yml
drill play quiet-shft --seed x --exams
open smal.toml --listen 0
open kept --set seed=3 -o journal:j
drill play quiet-shift -o csv --listen 0
tune smal.toml --goal p9 --limit p95
tune small.toml -o sweep:s
tune small.toml -o sweep:s --vary scheduler=fiar
tune small.toml -o sweep:s --vary yarn.scheduler.fair.preemtion=true
tune small.toml -o sweep:s --vary nope=1
tune small.toml -o sweep:s --vary nodes=1,2 --vary nodes=3,4
tune small.toml -o sweep:s --vary scheduler=fifo --dask nonsense
tune -o sweep:s
tune small.toml --vary seed=1,2 --seeds 2
tune small.toml --vary nodes=1,2 --strained --search 2 --sample 2
tune small.toml --smallest nodes=1..5/2 --limit 'unfinished < 1'
tune small.toml --smallest nodes=5..1 --limit 'unfinished < 1'
tune small.toml --vary nodes=1..5/0
tune small.toml --vary nodes=1,2 --seeds 10001 --sample 100001 --workers 1001
tune small.toml --vary nodes=1..1000 --seeds 1001
tune small.toml --vary nodes=1,2 -o screen
demo
drill play quiet-shift --agent x --agent z=cat --agent z=cat
drill play quiet-shift --agent z=cat -c drill.answer_seconds=soon
get small.toml picture -o a.svg --press zz --press entr --press hyper+x
tune small.toml --limit 'used > 50' --limit 'starved < nan'
check small.toml --config conf
drill report --trainee bob
tune small.toml --vary nodes=1,2 --goal ''
import trace.json --set sed=1
check rm1-8088-1
check small.toml --nodes 4
import rm1-8088-1 -o x.toml
import trace.json --set scheduler=fair
import trace.json --set scheduler=spark
import trace.json --nodes 3xbig
import trace.json --nodes 3x8g/4,2x4g/2
import trace.json --assume container=1g,x
import trace.json --assume split=0m
import trace.json --assume split=x
import trace.json --assume spilt=1m
import trace.json --scale-time nan
import trace.json --between 2h..1h
import trace.json --format swimm
watch rm9:8088 --rounds 1
get rm.log --at 2100-01-01T00:00Z -o u.toml
watch ftp://x,http:// --rounds 1 --alarm what --interval 0.5s --every soon --on-alarm "'"
watch ftp://ann:secret@rm9:8088 --rounds 1
watch http://ann:secret@rm9:8088 --rounds 1
watch rm1:8088 --rounds 1 --keep auto -c keep_for=soon
watch rm1:8088 --rounds 1 --keep auto -c keep_for=30s
serve spark-packing
serve small.toml --speed 1e308
serve small.toml --token ''
serve small.toml --token 'a b'
serve small.toml --at 25:00
open small.toml --web -o journal:j
open small.toml --web --keep auto
open small.toml --web -c read_only=false
open --web --listen 65536
open --web -c web.visitors=0
open --web -c web.visitors=101
open --web -c web.idle=9s
open --web -c web.idle=soon
open --web -c web.memory=255
open --web -c web.memory=65537
drill play x --web
web opne
""".strip().splitlines()
"""Each in a folder with a source of every kind and a file that is somebody's."""


@pytest.mark.usefixtures("polls")
def test_each_line_is_refused_in_the_words_that_are_stored() -> None:
    Path("there.svg").write_text("mine", encoding="utf-8")
    there = sorted(Path().iterdir())
    told, stored = transcript("refused", [f"schedlab {line}" for line in LINES])

    assert told == stored
    assert [line for line, text in told.items() if not text.endswith("\nexit 2") or not text.startswith("! ")] == []
    assert "secret" not in "".join(text for line, text in told.items() if line.startswith("schedlab watch"))
    assert (sorted(Path().iterdir()), Path("there.svg").read_text(encoding="utf-8")) == (there, "mine")
