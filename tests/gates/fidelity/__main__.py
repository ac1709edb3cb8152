"""Play the scripts of recorded runs and print how far the simulation is from what real ResourceManagers did.

python -m tests.gates.fidelity                    every recording below $SCHEDLAB_RECORDINGS, with the scripts beside it
python -m tests.gates.fidelity FOLDER…            these recordings, or all below these folders
python -m tests.gates.fidelity --scripts FOLDER   the scripts are there
python -m tests.gates.fidelity --store            keep the figures and the manual's table of them
"""

import argparse
import os
import sys
from pathlib import Path

from tests.gates.fidelity.figures import figures_of
from tests.gates.fidelity.recording import LOG, Recording
from tests.gates.fidelity.script import Script
from tests.gates.fidelity.table import store, table


def main() -> int:
    default = Path(os.environ.get("SCHEDLAB_RECORDINGS", "../shared/rest"))
    parser = argparse.ArgumentParser(
        prog="python -m tests.gates.fidelity", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folders", type=Path, nargs="*", default=[default], metavar="FOLDER")
    parser.add_argument("--scripts", type=Path, help="folder of the scripts; else real_rm beside the recordings")
    parser.add_argument("--store", action="store_true", help="keep the figures and put their table into the manual")
    chosen = parser.parse_args()
    folders = sorted({log.parent for folder in chosen.folders for log in folder.rglob(LOG)})
    if not folders:
        parser.error(f"no {LOG} below {', '.join(map(str, chosen.folders))}")
    paths = sorted((chosen.scripts or folders[0].parent.parent / "real_rm").glob("*.json"))
    if not paths:
        parser.error("no scripts: give their folder with --scripts")
    scripts = [Script(path) for path in paths]
    figures = [figures_of(Recording(folder, scripts)) for folder in folders]
    print(table(figures))
    if chosen.store:
        store(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
