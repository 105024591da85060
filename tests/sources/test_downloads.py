"""Downloads against a real server on this machine: the bytes, the limits, and the addresses refused."""

import contextlib
import http.server
import ipaddress
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator

import pytest

from langchain_pymupdf_coords.errors import SourceAccessError, SourceUnavailableError
from langchain_pymupdf_coords.sources.downloads import download

PDF = b"%PDF-1.7\n" + bytes(range(256)) * 700  # several reads long
PUBLIC = "93.184.215.14"
DEAD = "203.0.113.1"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers)))
        route = self.path.strip("/").partition("?")[0].partition("/")[0] or "root"
        self.close_connection = True
        with contextlib.suppress(ConnectionError):  # the client ends what passes its limits
            getattr(self, f"get_{route}")()

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers and "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def redirect(self, location: str, status: int = 302) -> None:
        self.reply(b"elsewhere", status, Location=location)

    def get_root(self) -> None:
        self.reply(b"root")

    def get_pdf(self) -> None:
        self.reply(PDF)

    def get_chunked(self) -> None:
        half = len(PDF) // 2
        parts = [PDF[:half], PDF[half:], b""]
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
        self.reply(body, Transfer_Encoding="chunked")

    def get_cut(self) -> None:
        self.reply(PDF[:1000], Content_Length=str(len(PDF)))

    def get_cutchunk(self) -> None:
        self.reply(b"ffff\r\n" + PDF[:1000], Transfer_Encoding="chunked")

    def get_huge(self) -> None:
        self.reply(b"", Content_Length=str(10**15))

    def get_endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 65536)
            self.server.sent += 65536

    def get_negative(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"-1\r\n")
        while True:
            self.wfile.write(b"x" * 65536)
            self.server.sent += 65536

    def get_gzip(self) -> None:
        self.reply(zlib.compress(bytes(10**7), wbits=31), Content_Encoding="gzip")

    def get_trickle(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b"x")
            time.sleep(0.05)

    def get_slowhead(self) -> None:
        for _ in range(100):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.05)

    def get_silent(self) -> None:
        time.sleep(3)

    def get_garbage(self) -> None:
        self.wfile.write(b"\x00\x01 what is this\r\n\r\n")

    def get_missing(self) -> None:
        self.reply(b"no", 404)

    def get_loop(self) -> None:
        self.redirect("/loop")

    def get_hops(self) -> None:
        left = int(self.path.rpartition("/")[2])
        self.redirect(f"/hops/{left - 1}" if left > 1 else "/pdf", (301, 302, 303, 307, 308)[left % 5])

    def get_to(self) -> None:
        self.redirect(self.path.partition("?")[2])

    def get_umlaut(self) -> None:
        self.redirect("/pdf/Übersicht 1.pdf".encode().decode("latin-1"))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.sent = 0

    def handle_error(self, request: object, client_address: object) -> None:
        pass

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str = "/pdf", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server()) as server:
        yield server


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Stands in for the name server: the addresses of each name, all others are real."""
    table: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def lookup(host: str, port: int, *args: object, **options: object) -> list[tuple]:
        if host not in table:
            return real(host, port, *args, **options)
        found = []
        for address in table[host]:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            tail = (0, 0) if ":" in address else ()
            found.append((family, socket.SOCK_STREAM, 6, "", (address, port, *tail)))
        return found

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    return table


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Addresses connected to. The public one is led to this machine, the dead one to nobody."""
    made: list[str] = []
    real = socket.create_connection

    def connect(address: tuple[str, int], *args: object, **options: object) -> socket.socket:
        made.append(address[0])
        if address[0] == DEAD:
            raise ConnectionRefusedError
        return real(("127.0.0.1" if address[0] == PUBLIC else address[0], address[1]), *args, **options)

    monkeypatch.setattr(socket, "create_connection", connect)
    return made


def fails(call: Callable[[], object], error: type[Exception], match: str) -> Exception:
    with pytest.raises(error, match=match) as caught:
        call()
    return caught.value


class TestBody:
    @pytest.mark.parametrize("path", ["/pdf", "/chunked", "/hops/5", "/pdf?a=1&b=%20#page=2"])
    def test_bytes_arrive_unchanged(self, server: Server, path: str) -> None:
        assert download(server.url(path), allow_private=True) == PDF

    def test_request_names_host_and_port_and_wants_no_compression(self, server: Server) -> None:
        download(server.url("/pdf/a b.pdf?x=ü"), allow_private=True)
        path, headers = server.requests[0]
        assert path == "/pdf/a%20b.pdf?x=%C3%BC"
        assert headers["Host"] == f"127.0.0.1:{server.port}"
        assert headers["Accept-Encoding"] == "identity"

    def test_redirect_with_a_name_in_utf8(self, server: Server) -> None:
        assert download(server.url("/umlaut"), allow_private=True) == PDF
        assert server.requests[1][0] == "/pdf/%C3%9Cbersicht%201.pdf"

    def test_proxies_of_the_environment_are_ignored(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        assert download(server.url(), allow_private=True) == PDF

    @pytest.mark.parametrize(
        ("path", "match"),
        [
            ("/missing", "404 Not Found"),
            ("/cut", "incomplete: 1,000 of 179,209 bytes"),
            ("/cutchunk", "IncompleteRead"),
            ("/gzip", "compresses the file .'gzip'."),
            ("/garbage", "BadStatusLine"),
            ("/loop", "more than 5 redirects"),
            ("/hops/6", "more than 5 redirects"),
        ],
    )
    def test_failure_names_the_url_and_the_reason(self, server: Server, path: str, match: str) -> None:
        error = fails(lambda: download(server.url(path), allow_private=True), SourceUnavailableError, match)
        assert server.url(path) in str(error)

    def test_nobody_listens(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/a.pdf"
            error = fails(
                lambda: download(url, allow_private=True), SourceUnavailableError, "ConnectionRefused"
            )
        assert isinstance(error.__cause__, ConnectionRefusedError)

    def test_unknown_host(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def lookup(*args: object, **options: object) -> None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", lookup)
        fails(lambda: download("http://no-such-host.invalid/"), SourceUnavailableError, "cannot be found")


class TestLimits:
    def test_announced_size_is_refused_before_the_body(self, server: Server) -> None:
        fails(
            lambda: download(server.url("/huge"), allow_private=True, timeout=5),
            SourceUnavailableError,
            "larger than 268,435,456 bytes",
        )

    def test_size_is_exact(self, server: Server) -> None:
        assert download(server.url(), allow_private=True, max_bytes=len(PDF)) == PDF
        for path in ("/pdf", "/chunked"):
            fails(
                lambda path=path: download(server.url(path), allow_private=True, max_bytes=len(PDF) - 1),
                SourceUnavailableError,
                "larger than",
            )

    @pytest.mark.parametrize("path", ["/endless", "/negative"])
    def test_endless_body_is_cut_off(self, server: Server, path: str) -> None:
        fails(
            lambda: download(server.url(path), allow_private=True, max_bytes=10**6, timeout=5),
            SourceUnavailableError,
            "larger than 1,000,000 bytes",
        )
        assert server.sent < 3 * 10**7  # what the system buffers, no more

    @pytest.mark.parametrize("path", ["/trickle", "/slowhead", "/silent"])
    def test_time_limit_holds_for_the_whole(self, server: Server, path: str) -> None:
        start = time.monotonic()
        fails(
            lambda: download(server.url(path), allow_private=True, timeout=0.4),
            SourceUnavailableError,
            "not complete after 0.4 s",
        )
        assert time.monotonic() - start < 1.5
        wait_for_threads()

    def test_time_limit_holds_for_the_look_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        hang = threading.Event()
        monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: hang.wait(5) and [])
        start = time.monotonic()
        fails(lambda: download("http://slow.test/", timeout=0.2), SourceUnavailableError, "0.2 s")
        assert time.monotonic() - start < 1.5
        hang.set()
        wait_for_threads()


def wait_for_threads() -> None:
    """The thread of a download that was given up ends soon after."""
    end = time.monotonic() + 2
    while any(thread.name.startswith("pdf-download") for thread in threading.enumerate()):
        assert time.monotonic() < end, "the download goes on"
        time.sleep(0.01)


class TestURLs:
    @pytest.mark.parametrize(
        "url",
        [
            "file:///etc/passwd",
            "ftp://example.org/a.pdf",
            "//example.org/a.pdf",
            "example.org/a.pdf",
            "/etc/passwd",
            "http:///a.pdf",
            "http://",
            "",
            "http://[::1/a.pdf",
            "http://example.org:port/a.pdf",
            "http://example.org:99999/a.pdf",
            "http://exa\nmple.org/a.pdf",
            "http://example.org/\x00",
            "http://example.org/a\r\nX-Injected: 1",
            "http://a..b/",
            "javascript:alert(1)",
        ],
    )
    def test_refused_without_a_look_up(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: pytest.fail("looked up"))
        fails(lambda: download(url, allow_private=True), SourceAccessError, "is not a")

    def test_credentials_are_refused_and_not_repeated(self) -> None:
        error = fails(
            lambda: download("https://me:secret@example.org/a.pdf?token=hidden"),
            SourceAccessError,
            "user name or password",
        )
        assert "secret" not in str(error)
        assert "hidden" not in str(error)
        assert "https://example.org/a.pdf" in str(error)


REFUSED = [
    "127.0.0.1",
    "127.8.9.10",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.8",
    "198.18.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%2",
    "fec0::1",
    "ff02::1",
]


class TestAddresses:
    @pytest.mark.parametrize("address", REFUSED)
    def test_refused(self, address: str, names: dict[str, list[str]], connections: list[str]) -> None:
        names["inner.test"] = [address]
        error = fails(lambda: download("http://inner.test/a.pdf"), SourceAccessError, "not a public address")
        assert address in str(error)
        assert "allow_private=True" in str(error)
        assert connections == []

    @pytest.mark.parametrize(
        "address", ["169.254.169.254", "fe80::1", "224.0.0.1", "ff02::1", "::ffff:169.254.169.254"]
    )
    def test_refused_even_when_private_is_allowed(
        self, address: str, names: dict[str, list[str]], connections: list[str]
    ) -> None:
        names["inner.test"] = [address]
        error = fails(
            lambda: download("http://inner.test/", allow_private=True), SourceAccessError, "not a public"
        )
        assert "allow_private" not in str(error)
        assert connections == []

    @pytest.mark.parametrize(
        "host", ["2130706433", "0x7f000001", "127.1", "[::1]", "localhost", "\uff11\uff12\uff17.0.0.1"]
    )
    def test_other_spellings_of_loopback(self, host: str, connections: list[str]) -> None:
        # A resolver may not know the spelling; what counts is that nothing is connected to.
        with pytest.raises((SourceAccessError, SourceUnavailableError)):
            download(f"http://{host}/a.pdf")
        assert connections == []

    @pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:4700::6810:84e5", "64:ff9b::808:808"])
    def test_public_is_connected_to(
        self, address: str, names: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = []

        def connect(target: tuple[str, int], **options: object) -> None:
            made.append(target)
            raise ConnectionRefusedError

        names["outer.test"] = [address]
        monkeypatch.setattr(socket, "create_connection", connect)
        fails(lambda: download("http://outer.test/"), SourceUnavailableError, "ConnectionRefused")
        assert made == [(address, 80)]

    def test_one_private_address_among_public_ones(
        self, names: dict[str, list[str]], connections: list[str]
    ) -> None:
        names["mixed.test"] = [PUBLIC, "10.0.0.1"]
        fails(lambda: download("http://mixed.test/"), SourceAccessError, "10.0.0.1")
        assert connections == []

    def test_next_address_when_one_is_dead(
        self, server: Server, names: dict[str, list[str]], connections: list[str]
    ) -> None:
        names["two.test"] = [DEAD, "127.0.0.1"]
        assert download(server.url(host="two.test"), allow_private=True) == PDF
        assert connections == [DEAD, "127.0.0.1"]
        assert server.requests[0][1]["Host"] == f"two.test:{server.port}"

    def test_rebinding_name_server_is_asked_once(
        self, server: Server, connections: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = iter([PUBLIC, "127.0.0.1"])
        real = socket.getaddrinfo

        def lookup(host: str, port: int, *args: object, **options: object) -> list[tuple]:
            if host != "rebind.test":
                assert ipaddress.ip_address(host)  # no name is looked up twice by the way
                return real(host, port, *args, **options)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

        monkeypatch.setattr(socket, "getaddrinfo", lookup)
        assert download(server.url(host="rebind.test")) == PDF
        assert connections == [PUBLIC]

    @pytest.mark.parametrize(
        ("location", "match"),
        [
            ("http://127.0.0.1:{port}/pdf", "not a public address"),
            ("//localhost:{port}/pdf", "not a public address"),
            ("http://metadata.test/latest", "169.254.169.254"),
            ("file:///etc/passwd", "is not an http or https URL"),
            ("http://me:pw@public.test/", "user name or password"),
        ],
    )
    def test_redirect_from_a_public_host(
        self,
        location: str,
        match: str,
        server: Server,
        names: dict[str, list[str]],
        connections: list[str],
    ) -> None:
        names["public.test"] = [PUBLIC]
        names["metadata.test"] = ["169.254.169.254"]
        url = server.url("/to?" + location.format(port=server.port), host="public.test")
        fails(lambda: download(url), SourceAccessError, match)
        assert connections == [PUBLIC]
        assert len(server.requests) == 1


class TestTLS:
    @pytest.fixture
    def tls_server(self, tmp_path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
        trustme = pytest.importorskip("trustme")
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("secure.test").configure_cert(context)
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        with running(Server(context)) as server:
            server.server_names = []
            context.sni_callback = lambda _, name, __: server.server_names.append(name)
            yield server

    def test_name_is_verified_at_the_checked_address(
        self, tls_server: Server, names: dict[str, list[str]], connections: list[str]
    ) -> None:
        names["secure.test"] = [PUBLIC]
        assert download(tls_server.url(host="secure.test", scheme="https")) == PDF
        assert connections == [PUBLIC]
        assert tls_server.server_names == ["secure.test"]
        assert tls_server.requests[0][1]["Host"] == f"secure.test:{tls_server.port}"

    def test_wrong_name(
        self, tls_server: Server, names: dict[str, list[str]], connections: list[str]
    ) -> None:
        names["other.test"] = [PUBLIC]
        error = fails(
            lambda: download(tls_server.url(host="other.test", scheme="https")),
            SourceUnavailableError,
            "CERTIFICATE_VERIFY_FAILED",
        )
        assert isinstance(error.__cause__, ssl.SSLCertVerificationError)
        assert tls_server.requests == []

    def test_no_redirect_to_plain_http(self, tls_server: Server, names: dict[str, list[str]]) -> None:
        names["secure.test"] = ["127.0.0.1"]
        url = tls_server.url("/to?http://example.org/a.pdf", host="secure.test", scheme="https")
        fails(lambda: download(url, allow_private=True), SourceAccessError, "from https to http")

    def test_time_limit(self, tls_server: Server, names: dict[str, list[str]]) -> None:
        names["secure.test"] = ["127.0.0.1"]
        url = tls_server.url("/trickle", host="secure.test", scheme="https")
        fails(lambda: download(url, allow_private=True, timeout=0.4), SourceUnavailableError, "after 0.4 s")
        wait_for_threads()
