"""Sources: which file they lead to, which are refused, and that a refusal opens nothing."""

import functools
import hashlib
import os
import pickle
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from langchain_core.documents.base import Blob

from langchain_pymupdf_coords.errors import (
    OptionError,
    PyMuPDFCoordsError,
    SourceAccessError,
    SourceChangedError,
    SourceUnavailableError,
)
from langchain_pymupdf_coords.sources import FileAccess, SourceFile, check_digest, normalise_source

PDF = b"%PDF-1.7 the report"
posix = pytest.mark.skipif(os.name != "posix", reason="files of POSIX systems")

_opened: list[object] = []
_watching = False


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in {"open", "os.listdir", "os.scandir", "socket.connect", "subprocess.Popen"}:
        _opened.append((event, arguments[0]))


sys.addaudithook(_audit)


@pytest.fixture
def opened() -> Iterator[list[object]]:
    """What Python opens from here to the end of the test."""
    global _watching
    _opened.clear()
    _watching = True
    yield _opened
    _watching = False


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder ``root`` with files and traps in it, beside a file outside that they lead to."""
    root = tmp_path / "root"
    (root / "sub dir").mkdir(parents=True)
    (root / "report.pdf").write_bytes(PDF)
    (root / "sub dir" / "ü 100%.pdf").write_bytes(PDF)
    (tmp_path / "secret.pdf").write_bytes(b"%PDF-1.7 secret")
    (tmp_path / "rootling").mkdir()
    (tmp_path / "rootling" / "report.pdf").write_bytes(PDF)
    if os.name == "posix":
        links = {
            "inner.pdf": "report.pdf",
            "link.pdf": "../secret.pdf",
            "absolute.pdf": str(tmp_path / "secret.pdf"),
            "chain.pdf": "link.pdf",
            "up": "..",
            "loop": "loop",
            "dangling.pdf": "../nowhere.pdf",
            "zero": "/dev/zero",
            "input": "/dev/stdin",
            "environ": "/proc/self/environ",
        }
        for name, target in links.items():
            (root / name).symlink_to(target)
        os.mkfifo(root / "fifo.pdf")
    return root


@pytest.fixture
def short_socket(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(root)  # the address of a socket may not be longer than about 100 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.pdf")
        yield


OUTSIDE = {
    "parent": "../secret.pdf",
    "parent deep": "sub dir/../../secret.pdf",
    "parent of nothing": "no/such/../../../secret.pdf",
    "parent that is not there": "../nowhere.pdf",
    "far up": "../" * 60 + "etc/passwd",
    "absolute": "{outside}/secret.pdf",
    "absolute, back and forth": "{root}/../secret.pdf",
    "sibling with the same beginning": "{root}ling/report.pdf",
    "relative sibling": "../rootling/report.pdf",
    "double slash": "//{outside}/secret.pdf",
    "system file": "/etc/passwd",
    "link": "link.pdf",
    "absolute link": "absolute.pdf",
    "link to a link": "chain.pdf",
    "folder link": "up/secret.pdf",
    "folder link, absolute": "{root}/up/secret.pdf",
    "dangling link": "dangling.pdf",
    "device by link": "zero",
    "standard input by link": "input",
    "process file by link": "environ",
    "device": "/dev/zero",
    "standard input": "/dev/stdin",
    "descriptor": "/dev/fd/0",
    "process file": "/proc/self/environ",
    "root of the process": "/proc/self/root{outside}/secret.pdf",
    "folder of the process": "/proc/self/cwd",
    "file URL": "file://{outside}/secret.pdf",
    "file URL, one slash": "file:{outside}/secret.pdf",
    "file URL, capitals": "FILE://localhost{outside}/secret.pdf",
    "file URL, encoded dots": "file://{root}/%2e%2e/secret.pdf",
    "file URL, encoded slash": "file://{root}/..%2Fsecret.pdf",
    "file URL, encoded name": "file://{outside}/%73ecret.pdf",
    "file URL, other host": "file://evil.example/share/a.pdf",
    "file URL, dots as host": "file://../secret.pdf",
    "file URL, NUL": "file://{root}/report.pdf%00",
    "local URL": "local://../secret.pdf",
    "NUL": "report.pdf\0.png",
    "NUL before": "\0/etc/passwd",
    "drive": "C:\\Windows\\win.ini",
    "drive, slashes": "c:/Windows/win.ini",
    "drive URL": "file:///C:/Windows/win.ini",
    "UNC": "\\\\evil.example\\share\\a.pdf",
    "UNC, slashes": "//evil.example/share/a.pdf",
    "UNC URL": "file:////evil.example/share/a.pdf",
    "device namespace": "\\\\.\\C:\\a.pdf",
    "extended path": "\\\\?\\C:\\Windows\\win.ini",
    "endless": "a/" * 5_000_000,
    "folder": "sub dir",
    "the root itself": ".",
    "pipe": "fifo.pdf",
    "socket": "socket.pdf",
    "not a str": None,
    "bytes": b"/etc/passwd",
}
UNAVAILABLE = {
    "empty": "",
    "missing": "nowhere.pdf",
    "file as a folder": "report.pdf/../report.pdf/x",
    "home": "~/secret.pdf",
    "variable": "$HOME/secret.pdf",
    "backslashes": "..\\..\\secret.pdf",
    "encoded dots in a plain path": "%2e%2e/secret.pdf",
    "twice encoded": "file://{root}/%252e%252e/secret.pdf",
    "full-width dots": "\uff0e\uff0e/secret.pdf",
    "leading space": " /etc/passwd",
    "overlong name": "a" * 3000,
    "lone surrogate": "\ud800.pdf",
    "loop of links": "loop",
    "http": "http://127.0.0.1/a.pdf",
    "https": "https://example.org/a.pdf",
    "s3": "s3://bucket/a.pdf",
    "data": "data:application/pdf;base64,JVBERi0=",
    "jar": "jar:file:///etc/passwd!/a",
    "php": "php://filter/resource=/etc/passwd",
    "new line": "a\nb.pdf",
}


def fill(source: object, root: Path) -> object:
    if not isinstance(source, str):
        return source
    return source.replace("{root}", str(root)).replace("{outside}", str(root.parent))


@posix
@pytest.mark.usefixtures("short_socket")
class TestHostileSources:
    @pytest.mark.parametrize("case", [*OUTSIDE, *UNAVAILABLE])
    def test_refused_and_nothing_opened(self, case: str, root: Path, opened: list[object]) -> None:
        source = fill((OUTSIDE | UNAVAILABLE)[case], root)
        expected = SourceAccessError if case in OUTSIDE else SourceUnavailableError
        with pytest.raises(expected) as error:
            FileAccess(root=root).resolve(source)
        assert opened == []
        assert len(str(error.value)) < 1000
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("case", ["parent", "absolute", "link", "file URL", "device", "pipe", "UNC"])
    def test_answer_of_a_resolver_is_held_to_the_root(
        self, case: str, root: Path, opened: list[object]
    ) -> None:
        answer = fill(OUTSIDE[case], root)
        for given in (answer, Blob(path=answer)):
            with pytest.raises(SourceAccessError, match=r"the resolver's answer for 'x\.pdf'"):
                FileAccess(root=root, resolver=lambda _, given=given: given).resolve("x.pdf")
        assert opened == []

    @pytest.mark.parametrize(
        "source",
        [
            "/dev/zero",
            "/dev/stdin",
            "/dev/../dev/stdin",
            "/dev/fd/0",
            "/proc/self/environ",
            "/proc/version",
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "/proc/self/fd/0",
            "file:///dev/random",
            "/",
            "fifo.pdf",
            "socket.pdf",
            "sub dir",
            "environ",
            "file://evil.example/share/a.pdf",
        ],
    )
    def test_no_regular_file_without_a_root(self, source: str, root: Path, opened: list[object]) -> None:
        with pytest.raises(SourceAccessError):
            FileAccess().resolve(source)
        assert opened == []

    @pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
    def test_descriptor_of_a_regular_file(self, folder: str, root: Path) -> None:
        with (root / "report.pdf").open("rb") as stream, pytest.raises(SourceAccessError, match="on a disk"):
            FileAccess().resolve(f"{folder}/{stream.fileno()}")

    def test_message_does_not_tell_where_a_link_leads(self, root: Path) -> None:
        with pytest.raises(SourceAccessError) as error:
            FileAccess(root=root).resolve("link.pdf")
        assert "secret" not in str(error.value)
        assert str(root) in str(error.value)


class TestRoot:
    @pytest.mark.parametrize(
        ("source", "name"),
        [
            ("report.pdf", "report.pdf"),
            ("./sub dir/../report.pdf", "report.pdf"),
            ("{root}/report.pdf", "report.pdf"),
            ("{outside}/root/sub dir/../report.pdf", "report.pdf"),
            ("file://{root}/report.pdf", "report.pdf"),
            ("file:{root}/sub%20dir/%C3%BC%20100%25.pdf", "sub dir/ü 100%.pdf"),
            ("local://{root}/report.pdf", "report.pdf"),
            ("local://report.pdf", "report.pdf"),
            ("sub dir/ü 100%.pdf", "sub dir/ü 100%.pdf"),
            pytest.param("inner.pdf", "report.pdf", marks=posix),
            pytest.param("up/root/report.pdf", "report.pdf", marks=posix),
        ],
    )
    def test_file_inside(self, source: str, name: str, root: Path, opened: list[object]) -> None:
        source = str(fill(source, root))
        found = FileAccess(root=root).resolve(source)
        assert opened == []
        assert found.source == source
        assert found.path == (root / name).resolve()
        assert found.data is None
        assert found.read_bytes() == PDF

    @posix
    def test_root_that_is_a_link(self, root: Path) -> None:
        link = root.parent / "current"
        link.symlink_to(root)
        for source in ("report.pdf", f"{link}/report.pdf", f"{root}/report.pdf"):
            assert FileAccess(root=link).resolve(source).path == root.resolve() / "report.pdf"

    def test_relative_root_stays_where_it_was(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root.parent)
        resolver = FileAccess(root="root")
        monkeypatch.chdir(root / "sub dir")
        assert resolver.resolve("report.pdf").read_bytes() == PDF

    def test_empty_root_is_an_error(self) -> None:
        with pytest.raises(OptionError, match="root must be a path, not ''"):
            FileAccess(root="")

    def test_missing_file_says_what_to_do(self, root: Path) -> None:
        with pytest.raises(SourceUnavailableError, match=r"nowhere\.pdf.*root=.*resolver=") as error:
            FileAccess(root=root).resolve("nowhere.pdf")
        assert isinstance(error.value.__cause__, FileNotFoundError)


class TestWithoutRoot:
    def test_paths_and_file_urls(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root)
        for source in (
            "report.pdf",
            "../root/report.pdf",
            str(root / "report.pdf"),
            f"file://{root}/report.pdf",
        ):
            assert FileAccess().resolve(source).path == (root / "report.pdf").resolve()

    @posix
    @pytest.mark.parametrize("name", ["Q3: report.pdf", "Q: report.pdf", "file: report.pdf"])
    def test_name_with_a_colon_is_a_path(self, name: str, root: Path) -> None:
        (root / name).write_bytes(PDF)
        assert FileAccess(root=root).resolve(name).read_bytes() == PDF

    @pytest.mark.parametrize("source", ["https://example.org/a.pdf", "s3://bucket/a.pdf", "S3A://b/a.pdf"])
    def test_remote_url_asks_for_a_resolver(self, source: str) -> None:
        with pytest.raises(SourceUnavailableError, match="pass a resolver="):
            FileAccess().resolve(source)

    @pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no /dev/shm")
    def test_shared_memory_holds_real_files(self) -> None:
        path = Path(f"/dev/shm/coords-{os.getpid()}.pdf")
        path.write_bytes(PDF)
        try:
            assert FileAccess().resolve(str(path)).read_bytes() == PDF
        finally:
            path.unlink()


def answer_of(table: dict[str, object], source: str) -> object:
    return table[source]


class TestResolver:
    @pytest.mark.parametrize(
        "answer",
        [
            PDF,
            Blob(data=PDF),
            Blob(data=PDF.decode()),
            Blob(data=PDF, path="/no/such/file.pdf"),
            lambda root: str(root / "report.pdf"),
            lambda root: root / "report.pdf",
            lambda root: f"file://{root}/report.pdf",
            lambda root: Blob(path=root / "report.pdf"),
            lambda root: Blob(path=str(root / "report.pdf")),
        ],
    )
    @pytest.mark.parametrize("rooted", [False, True])
    def test_answers(self, answer: object, rooted: bool, root: Path) -> None:
        asked = []

        def resolver(source: str) -> object:
            asked.append(source)
            return answer(root) if callable(answer) else answer

        found = FileAccess(root=root if rooted else None, resolver=resolver).resolve("s3://bucket/a%20b.pdf")
        assert asked == ["s3://bucket/a%20b.pdf"]
        assert found.source == "s3://bucket/a%20b.pdf"
        assert found.read_bytes() == PDF
        assert found.digest == "sha256:" + hashlib.sha256(PDF).hexdigest()
        assert (found.path is None) != (found.data is None)

    def test_relative_answer_starts_from_the_root(self, root: Path) -> None:
        assert (
            FileAccess(root=root, resolver=lambda _: "report.pdf").resolve("id-7").path
            == (root / "report.pdf").resolve()
        )

    @pytest.mark.parametrize("answer", [None, 7, bytearray(PDF), ["a.pdf"], open])
    def test_wrong_type(self, answer: object) -> None:
        with pytest.raises(SourceUnavailableError, match=r"return a path, bytes or a Blob for 'a\.pdf', not"):
            FileAccess(resolver=lambda _: answer).resolve("a.pdf")

    @pytest.mark.parametrize("failure", [KeyError("a.pdf"), OSError("no route"), ZeroDivisionError()])
    def test_failure_is_chained(self, failure: Exception) -> None:
        def resolver(source: str) -> bytes:
            raise failure

        with pytest.raises(SourceUnavailableError, match=r"resolver failed on 'a\.pdf'") as error:
            FileAccess(resolver=resolver).resolve("a.pdf")
        assert error.value.__cause__ is failure

    def test_our_own_errors_and_interrupts_pass(self) -> None:
        for failure in (SourceAccessError("not for you"), KeyboardInterrupt()):
            resolver = FileAccess(resolver=functools.partial(raise_it, failure))
            with pytest.raises(type(failure)) as error:
                resolver.resolve("a.pdf")
            assert error.value is failure

    def test_empty_blob_and_remote_answer(self) -> None:
        for answer in (Blob(data=None, path=None), "https://example.org/a.pdf", ""):
            with pytest.raises(SourceUnavailableError):
                FileAccess(resolver=lambda _, answer=answer: answer).resolve("a.pdf")

    def test_picklable(self, root: Path) -> None:
        resolver = FileAccess(root=root, resolver=functools.partial(answer_of, {"a": "report.pdf", "b": PDF}))
        copy = pickle.loads(pickle.dumps(resolver))
        for source in ("a", "b"):
            found = copy.resolve(source)
            assert found == resolver.resolve(source)
            again = pickle.loads(pickle.dumps(found))
            assert (again, again.key, again.digest) == (found, found.key, found.digest)


def raise_it(failure: BaseException, source: str) -> bytes:
    raise failure


def settle(path: Path, seconds: int = 100) -> None:
    """Make a file look older than the time in which its digest is not cached."""
    then = path.stat().st_mtime_ns - seconds * 10**9
    os.utime(path, ns=(then, then))


class TestDigest:
    def test_of_a_file_is_cached_by_path_size_and_time(self, root: Path, opened: list[object]) -> None:
        path = root / "report.pdf"
        settle(path)
        first = FileAccess(root=root).resolve("report.pdf")
        digest = first.digest
        assert digest == "sha256:" + hashlib.sha256(PDF).hexdigest()
        files = len(opened)
        assert files >= 1
        second = FileAccess().resolve(str(path))
        assert (second.digest, second.key) == (digest, first.key)
        assert len(opened) == files

        before = first.key
        path.write_bytes(PDF[::-1])
        settle(path, 50)
        assert first.key != before
        assert first.digest == "sha256:" + hashlib.sha256(PDF[::-1]).hexdigest()

    def test_of_a_fresh_file_is_read_each_time(self, root: Path) -> None:
        # Same size, and the same time stamp where the clock of the file system is coarse.
        path = root / "report.pdf"
        found = FileAccess().resolve(str(path))
        status = path.stat()
        for content in (PDF, PDF[::-1], PDF.upper()):
            path.write_bytes(content)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            assert found.digest == "sha256:" + hashlib.sha256(content).hexdigest()

    def test_cache_is_bounded(self, root: Path, opened: list[object]) -> None:
        paths = [root / f"{number}.pdf" for number in range(1025)]
        for path in paths:
            path.write_bytes(PDF)
            settle(path)
            assert FileAccess().resolve(str(path)).digest
        files = len(opened)
        assert FileAccess().resolve(str(paths[-1])).digest
        assert len(opened) == files
        assert FileAccess().resolve(str(paths[0])).digest
        assert len(opened) > files

    def test_of_bytes(self) -> None:
        found = SourceFile("memory", None, PDF)
        assert found.digest == found.key == "sha256:" + hashlib.sha256(PDF).hexdigest()
        assert SourceFile("memory", None, b"").digest == "sha256:" + hashlib.sha256(b"").hexdigest()
        assert "report" not in repr(found)

    def test_check(self, root: Path) -> None:
        found = FileAccess(root=root).resolve("report.pdf")
        stored = found.digest
        assert check_digest(found, stored)
        (root / "report.pdf").write_bytes(PDF + b"!")
        assert not check_digest(found, stored)
        assert not check_digest(found, "")

    def test_written_while_read(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = root / "report.pdf"
        real = hashlib.file_digest

        def write_too(stream: object, name: str) -> object:
            digest = real(stream, name)
            path.write_bytes(PDF + b" longer")
            return digest

        monkeypatch.setattr(hashlib, "file_digest", write_too)
        with pytest.raises(SourceChangedError, match="written while it was read"):
            _ = FileAccess().resolve(str(path)).digest

    @posix
    @pytest.mark.parametrize("trap", ["link", "pipe", "gone", "folder"])
    def test_swapped_after_the_check(self, trap: str, root: Path) -> None:
        found = FileAccess(root=root).resolve("report.pdf")
        path = root / "report.pdf"
        path.unlink()
        make: dict[str, Callable[[], object]] = {
            "link": lambda: path.symlink_to("../secret.pdf"),
            "pipe": lambda: os.mkfifo(path),
            "gone": lambda: None,
            "folder": path.mkdir,
        }
        make[trap]()
        for read in (found.read_bytes, lambda: found.digest):
            with pytest.raises(PyMuPDFCoordsError, match=r"report\.pdf"):
                read()


class TestSourceFile:
    @pytest.mark.parametrize(("path", "data"), [(None, None), (Path("a.pdf"), b"")])
    def test_is_either_a_file_or_bytes(self, path: Path | None, data: bytes | None) -> None:
        with pytest.raises(SourceUnavailableError, match=r"'a\.pdf' needs a path or bytes"):
            SourceFile("a.pdf", path, data)

    def test_name_is_short_and_on_one_line(self) -> None:
        assert SourceFile("a\n\x1b[31m.pdf", None, b"").name == r"'a\n\x1b[31m.pdf'"
        name = SourceFile("/start/" + "x" * 10**6 + "/end.pdf", None, b"").name
        assert len(name) < 210
        assert name.startswith("'/start/")
        assert name.endswith("/end.pdf'")


class TestNormaliseSource:
    @pytest.mark.parametrize(
        "form",
        [
            "file:///data/a b.pdf",
            "file:/data/a b.pdf",
            "file:///data/a%20b.pdf",
            "file:/data/a%20b.pdf",
            "FILE://localhost/data/a%20b.pdf",
            "local:///data/a b.pdf",
            "/data/a b.pdf",
            Path("/data/a b.pdf"),
        ],
    )
    def test_one_form_for_a_local_file(self, form: str | Path) -> None:
        assert normalise_source(form) == str(form if isinstance(form, Path) else "/data/a b.pdf")

    @pytest.mark.parametrize(
        ("form", "expected"),
        [
            ("file:///data/100%25.pdf", "/data/100%.pdf"),
            ("file:///data/100%.pdf", "/data/100%.pdf"),
            ("file:///%C3%BC.pdf", "/ü.pdf"),
            ("file:///data/C%23.pdf", "/data/C#.pdf"),
            ("file:///data/C#?.pdf", "/data/C#?.pdf"),
            ("file:///C:/data/a.pdf", "C:/data/a.pdf"),
            ("file://C:/data/a.pdf", "C:/data/a.pdf"),
            ("local://data/a.pdf", "data/a.pdf"),
            ("s3a://bucket/a.pdf", "s3://bucket/a.pdf"),
            ("s3n://bucket/a%20b.pdf", "s3://bucket/a%20b.pdf"),
            ("S3A://bucket/s3a://x", "s3://bucket/s3a://x"),
            ("gcs://bucket/a.pdf", "gs://bucket/a.pdf"),
            ("abfss://box@account.example/a.pdf", "abfs://box@account.example/a.pdf"),
        ],
    )
    def test_other_forms(self, form: str, expected: str) -> None:
        assert normalise_source(form) == expected
        assert normalise_source(expected) == expected

    @pytest.mark.parametrize(
        "source",
        [
            "https://example.org/a%20b.pdf?x=%2F&s3a://y",
            "HTTP://Example.org/A.pdf?file:///a",
            "s3://b/a%20b.pdf",
            "a%20b.pdf",
            "./a.pdf",
            "/a//b.pdf",
            "C:\\a.pdf",
            "file://host/a.pdf",
            "file: notes.pdf",
            "",
            "s3a:x",
            "hdfs://namenode:8020/a.pdf",
            "dbfs:/a.pdf",
            "local: paper.pdf",
        ],
    )
    def test_left_as_it_is(self, source: str) -> None:
        assert normalise_source(source) == source
