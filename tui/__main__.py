"""The program `schedlab`: from its first instant ctrl-C ends it without a traceback."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # loading takes long enough to be interrupted


def main() -> None:
    """Entry point."""
    from tui.cli import main as run  # noqa: PLC0415 -- loading what it needs is most of what can be interrupted

    run()


if __name__ == "__main__":
    main()
