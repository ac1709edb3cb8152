"""The directory of kept runs: which names are free, who may write, and what cannot be deleted."""

import os
import stat
from itertools import islice
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import FILE
from engine.run.run_store import (
    check_deletable,
    check_there,
    create_file,
    delete,
    directory,
    free_names,
    lock,
    lock_file,
    make_directory,
    names,
)


def made(root: Path, name: str, data: bytes = b"x") -> Path:
    """The directory of a run whose file holds this."""
    path = root / name
    path.mkdir(parents=True)
    (path / FILE).write_bytes(data)
    return path


def problem(error: pytest.ExceptionInfo[ConfigError]) -> Problem:
    """The one problem that was told."""
    (one,) = error.value.problems
    return one


@pytest.mark.parametrize("name", ["a", "A", "0", "a.b-c_d", "x" * 64])
def test_letters_digits_and_some_signs_make_a_name(name: str, tmp_path: Path) -> None:
    """At most 64 of them."""
    assert directory(tmp_path, name) == tmp_path / name


def test_what_cannot_be_a_name_is_told_with_what_can(tmp_path: Path) -> None:
    """In words."""
    with pytest.raises(ConfigError) as error:
        directory(tmp_path, "a b")
    hint = "letters, digits, points, dashes and underlines, at most 64"
    assert problem(error) == Problem("'a b' cannot name a run", hint=hint)


def test_runs_of_one_moment_are_listed_by_name(tmp_path: Path) -> None:
    """Else by when their directory was last changed."""
    for name, moment in (("b", 5), ("c", 4), ("a", 5)):
        os.utime(made(tmp_path, name), ns=(0, moment))
    made(tmp_path, "-x")
    assert names(tmp_path) == ["c", "a", "b"]


def test_a_run_whose_file_is_a_broken_link_is_there(tmp_path: Path) -> None:
    """Whoever opens it is told."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / FILE).symlink_to("missing")
    assert names(tmp_path) == ["one"]
    assert check_there(tmp_path, "one") == tmp_path / "one"


def test_a_directory_that_is_a_loop_cannot_be_read(tmp_path: Path) -> None:
    """It is told in words."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ConfigError) as error:
        names(tmp_path / "loop")
    words = "it cannot be read: too many levels of symbolic links"
    assert problem(error) == Problem(words, file=str(tmp_path / "loop"))


def test_a_run_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    """Or that there is none."""
    with pytest.raises(ConfigError) as error:
        check_there(tmp_path, "x")
    assert problem(error) == Problem("there is no run x", hint=f"no run is kept in {tmp_path}")
    for moment, name in enumerate(("b", "a")):
        os.utime(made(tmp_path, name), ns=(0, moment))
    with pytest.raises(ConfigError) as error:
        check_there(tmp_path, "x")
    assert problem(error) == Problem("there is no run x", hint="there is b, a")


@pytest.mark.parametrize(
    ("scenario", "stem"),
    [("weekly", "weekly"), ("a/b c", "a-b-c"), ("._-a", "a"), ("", "run"), ("...", "run"), ("x" * 57, "x" * 56)],
)
def test_free_names_are_counted(scenario: str, stem: str) -> None:
    """From 1 on, after what of the scenario's name can stand in one."""
    assert list(islice(free_names(scenario), 3)) == [f"{stem}-1", f"{stem}-2", f"{stem}-3"]


def test_a_new_run_gets_the_first_free_name(tmp_path: Path) -> None:
    """The directory of all runs is made with those above it; both are for their user only."""
    root = tmp_path / "deep" / "runs"
    assert make_directory(root, ["a", "b"]) == root / "a"
    assert make_directory(root, ["a", "b"]) == root / "b"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (root, root / "a")] == [0o700, 0o700]
    with pytest.raises(ConfigError) as error:
        make_directory(root, ["a", "b"])
    hint = "choose another name, or delete that run"
    assert problem(error) == Problem("there is a run b already", file=str(root / "b"), hint=hint)


def test_where_nothing_can_be_made_it_is_told(tmp_path: Path) -> None:
    """A file stands where a directory should be."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ConfigError) as error:
        make_directory(tmp_path / "file" / "x" / "runs", ["a"])
    assert problem(error).message == "it cannot be made: not a directory"


def test_a_file_belongs_to_whoever_holds_its_lock(tmp_path: Path) -> None:
    """The new run's writer at once; nobody else while it is open."""
    (tmp_path / "one").mkdir()
    handle = create_file(tmp_path / "one")
    other = os.open(tmp_path / "one" / FILE, os.O_RDONLY)
    assert stat.S_IMODE((tmp_path / "one" / FILE).stat().st_mode) == 0o600
    assert not lock(other)
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "one")
    with pytest.raises(ConfigError) as error:
        lock_file(tmp_path / "one", os.O_RDONLY, "washed")
    file = str(tmp_path / "one")
    assert problem(error) == Problem("it is being written and cannot be washed", file=file, hint="end it first")

    os.close(handle)
    assert lock(other)
    os.close(other)
    with lock_file(tmp_path / "one", os.O_RDWR, "washed") as mine:
        assert mine.writable()


def test_a_file_system_without_locks_will_do(tmp_path: Path) -> None:
    """Nobody can tell then."""
    handle = os.open(tmp_path, os.O_PATH)
    assert lock(handle)
    os.close(handle)


@pytest.mark.parametrize(("others", "named"), [(["a"], "a"), (list("fedcba"), "a, b, c, d, e")])
def test_other_files_are_named(tmp_path: Path, others: list[str], named: str) -> None:
    """Up to five of them, by name."""
    path = made(tmp_path, "one")
    for name in others:
        (path / name).touch()
    with pytest.raises(ConfigError) as error:
        check_deletable(tmp_path, "one")
    words = f"it cannot be deleted: there are other files in its directory, {named}"
    assert problem(error) == Problem(words, file=str(path))


def test_a_run_of_parts_is_deleted_with_them(tmp_path: Path) -> None:
    """Only what is called like a part is one."""
    path = made(tmp_path, "one")
    (path / "part-000002.jsonl").touch()
    assert check_deletable(tmp_path, "one") == path
    (path / "part-02.jsonl").touch()
    with pytest.raises(ConfigError, match=r"other files in its directory, part-02\.jsonl"):
        delete(tmp_path, "one")
    (path / "part-02.jsonl").unlink()
    delete(tmp_path, "one")
    assert not path.exists()


def test_links_and_what_is_no_file_are_not_deleted(tmp_path: Path) -> None:
    """Each in its words."""
    made(tmp_path / "other", "real")
    (tmp_path / "runs" / "two" / FILE).mkdir(parents=True)
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "other" / "real")
    found = {}
    for name in ("link", "two"):
        with pytest.raises(ConfigError) as error:
            delete(tmp_path / "runs", name)
        found[name] = problem(error)
    link, file = str(tmp_path / "runs" / "link"), str(tmp_path / "runs" / "two" / FILE)
    assert found == {
        "link": Problem("it is a link and not deleted", file=link, hint="delete the link by hand"),
        "two": Problem("it cannot be deleted: it is no regular file", file=file),
    }


def test_a_directory_that_takes_no_change_keeps_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told in words."""
    path = made(tmp_path, "one")

    def fail(_self: Path) -> None:
        raise OSError(30, os.strerror(30))

    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(ConfigError) as error:
        delete(tmp_path, "one")
    assert problem(error) == Problem("it cannot be deleted: read-only file system", file=str(path))
