"""The program `schedlab`: from its first instant a signal ends it without a traceback."""

from tui.end_signals import end_at_once


def main() -> None:
    """Entry point."""
    end_at_once()
    from tui.cli import main as run  # noqa: PLC0415 -- loading takes long enough to be interrupted

    run()


if __name__ == "__main__":
    main()
