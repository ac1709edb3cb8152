"""The program `schedlab`: from its first instant ctrl-C ends it without a traceback."""

# The built-in module: `signal` loads others, which takes long enough to be interrupted.
import _signal  # type: ignore[import-not-found]  # its types are not published

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def main() -> None:
    from tui.cli.cli import main as run  # noqa: PLC0415 -- loading what it needs is most of what can be interrupted

    run()


if __name__ == "__main__":
    main()
