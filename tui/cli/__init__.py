"""The verbs of the command line, one file each; data goes to stdout, talk to stderr."""

import typer


def new_app(about: str = "") -> typer.Typer:
    """A command of its own, or with `about` a group of commands."""
    return typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=bool(about),
        help=about or None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
