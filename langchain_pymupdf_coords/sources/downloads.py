"""Download a PDF over http or https, within limits of size and time, from public addresses only.

A URL may come from a user or a page, so it must not become a way into the network that the program runs in.
Each hop, the first and every redirect, is looked up once, all its addresses are checked, and the connection
goes to a checked address: a name server that would answer otherwise the second time is not asked again. The
limits hold for the whole download, however slowly or endlessly the server answers.

Proxy settings of the environment are ignored, since a proxy would do the look-up itself. Certificates are
checked against those of the system, or of ``SSL_CERT_FILE``. For logins, proxies and the like, fetch the
file with a client of your own and give the bytes to the parser.
"""

import concurrent.futures
import contextlib
import functools
import http.client
import ipaddress
import re
import socket
import ssl
import time
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from langchain_pymupdf_coords.errors import SourceAccessError, SourceUnavailableError
from langchain_pymupdf_coords.sources.files import shown

__all__ = ["download"]

_MAX_REDIRECTS = 5

_REDIRECTS = frozenset({301, 302, 303, 307, 308})

_CHUNK_BYTES = 1 << 16

_DEFAULT_PORTS = {"http": 80, "https": 443}

_URL_PUNCTUATION = "/%:@!$&'()*+,;=~?"

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: an IPv4 address in its last 32 bits

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # RFC 4291: all public addresses given out so far

_PROTOCOL_ASSIGNMENTS = ipaddress.IPv4Network("192.0.0.0/24")  # RFC 6890

_HEADERS = {
    "Accept": "application/pdf, */*;q=0.5",
    "Accept-Encoding": "identity",  # a compressed body could unpack to any size
    "Connection": "close",
    "User-Agent": "langchain-pymupdf-coords",
}


def download(
    url: str, *, max_bytes: int = 256 * 1024 * 1024, timeout: float = 120.0, allow_private: bool = False
) -> bytes:
    """Fetch the bytes behind an http or https URL.

    At most five redirects are followed, none of them from https to http.

    Args:
        url: The address. One with a user name or password is refused: it would be stored in every chunk.
        max_bytes: Most bytes to accept, counted as they arrive, whatever length the server announces.
        timeout: Seconds for everything: look-up, connection, redirects and body.
        allow_private: Also connect to private, loopback and other addresses that are not public. Link-local
            ones, where clouds hand out credentials, and multicast stay refused.

    Raises:
        SourceAccessError: The URL, or one that it redirects to, is not http or https, holds credentials, or
            leads to a refused address.
        SourceUnavailableError: The server cannot be reached, answers with an error or with less than it
            announced, or a limit is passed.
    """
    transfer = _Transfer(max_bytes, timeout, allow_private)
    # In a thread, because neither a name look-up nor a reply that trickles in can be timed in any other way.
    executor = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="pdf-download")
    try:
        return executor.submit(transfer.fetch, url).result(timeout)
    except TimeoutError as error:
        raise _failure(url, f"not complete after {timeout:g} s: raise the timeout") from error
    finally:
        transfer.cancel()
        executor.shutdown(wait=False)


@dataclass(frozen=True)
class _Target:
    """One hop: what to look up, connect to and ask for."""

    url: str
    scheme: str
    host: str
    port: int
    request: str


class _Transfer:
    """One download with its limits, and the open socket, so that another thread can end it."""

    def __init__(self, max_bytes: int, timeout: float, allow_private: bool) -> None:
        self._max_bytes = max_bytes
        self._deadline = time.monotonic() + timeout + 1  # the caller gives up first, and says why
        self._allow_private = allow_private
        self._cancelled = False
        self._socket: socket.socket | None = None

    def fetch(self, url: str) -> bytes:
        target = _parse(url)
        for _ in range(_MAX_REDIRECTS + 1):
            answer = self._ask(target)
            if isinstance(answer, bytes):
                return answer
            target = _redirect(target, answer)
        raise _failure(url, f"more than {_MAX_REDIRECTS} redirects")

    def cancel(self) -> None:
        """End the transfer: a read that waits in the other thread returns at once."""
        self._cancelled = True
        if self._socket is not None:
            with contextlib.suppress(OSError):  # closed already
                # The SSLSocket's own method would drop the TLS state that the other thread is using.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _ask(self, target: _Target) -> bytes | str:
        """The body, or the location that the server redirects to."""
        addresses = _addresses(target, self._allow_private)
        connection = self._connection(target)
        try:
            connection.sock = self._connect(target, addresses)
            if self._cancelled:  # between the two lines above, when there was no socket to shut down
                raise TimeoutError
            connection.request("GET", target.request, headers=_HEADERS)
            response = connection.getresponse()
            location = response.getheader("Location") if response.status in _REDIRECTS else None
            return self._body(response, target) if location is None else location
        except (OSError, http.client.HTTPException) as error:
            raise _failure(target.url, f"the download failed: {error!r}") from error
        finally:
            connection.close()

    @functools.cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _connection(self, target: _Target) -> http.client.HTTPConnection:
        """A connection without a socket; its class decides whether the Host header names the port."""
        if target.scheme == "https":
            return http.client.HTTPSConnection(target.host, target.port, context=self._tls)
        return http.client.HTTPConnection(target.host, target.port)

    def _connect(self, target: _Target, addresses: list[str]) -> socket.socket:
        """Connect to the first of the checked addresses that answers, and to nothing else."""
        for index, address in enumerate(addresses):
            left = self._deadline - time.monotonic()
            if self._cancelled or left <= 0:
                raise TimeoutError
            try:
                self._socket = socket.create_connection(
                    (address, target.port), timeout=left / (len(addresses) - index)
                )
                if target.scheme == "https":
                    name = target.host.rstrip(".")
                    self._socket = self._tls.wrap_socket(self._socket, server_hostname=name)
                self._socket.settimeout(left)
            except OSError:
                if index + 1 == len(addresses):
                    raise
            else:
                return self._socket
        raise OSError("the name has no address")

    def _body(self, response: http.client.HTTPResponse, target: _Target) -> bytes:
        if response.status != http.client.OK:
            reason = http.client.responses.get(response.status, "")
            raise _failure(target.url, f"the server answers {response.status} {reason}".rstrip())
        if (encoding := response.getheader("Content-Encoding", "identity").lower()) != "identity":
            raise _failure(
                target.url, f"the server compresses the file ({encoding[:20]!r}) though asked not to"
            )
        expected = response.length
        body = bytearray()
        while not self._cancelled and max(expected or 0, len(body)) <= self._max_bytes:
            # read1, because read believes a chunk of size -1 and would take all that comes.
            if not (chunk := response.read1(_CHUNK_BYTES)):
                break
            body += chunk
        if max(expected or 0, len(body)) > self._max_bytes:
            raise _failure(target.url, f"larger than {self._max_bytes:,} bytes: raise max_bytes")
        if expected is not None and len(body) != expected:
            raise _failure(target.url, f"incomplete: {len(body):,} of {expected:,} bytes arrived")
        return bytes(body)


def _parse(url: str) -> _Target:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
        request = parts.path or "/"
        request += f"?{parts.query}" if parts.query else ""
        request = quote(request, safe=_URL_PUNCTUATION, errors="surrogateescape")
    except ValueError as error:  # UnicodeError is one
        raise SourceAccessError(f"{_shown(url)} is not a URL: {error}") from error
    if parts.scheme not in _DEFAULT_PORTS or not host or re.search(r"[\x00-\x1f\x7f]", url):
        raise SourceAccessError(f"{_shown(url)} is not an http or https URL with a host")
    if "@" in parts.netloc:
        hint = "fetch the file with a client of your own and give its bytes to the parser"
        raise SourceAccessError(f"{_shown(url)} holds a user name or password: {hint}")
    return _Target(url, parts.scheme, host, port, request)


def _redirect(target: _Target, location: str) -> _Target:
    # http.client reads headers as Latin-1, servers mostly write UTF-8.
    text = location.encode("latin-1").decode("utf-8", errors="surrogateescape")
    new = _parse(urljoin(target.url, text))
    if target.scheme == "https" and new.scheme == "http":
        raise SourceAccessError(f"{_shown(target.url)} redirects from https to http, {_shown(new.url)}")
    return new


def _addresses(target: _Target, allow_private: bool) -> list[str]:
    """IP addresses of the host, each of them checked; one that is refused refuses the host."""
    try:
        answers = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _failure(target.url, f"the host cannot be found: {error}") from error
    addresses = [str(address[0]) for *_, address in answers]
    for address in addresses:
        if _is_refused(address, allow_private):
            hint = "" if allow_private else ": pass allow_private=True if that is intended"
            raise SourceAccessError(f"{_shown(target.url)} leads to {address}, not a public address{hint}")
    return addresses


def _is_refused(address: str, allow_private: bool) -> bool:
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        nat64 = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None
        if (carried := ip.ipv4_mapped or ip.sixtofour or nat64) is not None:
            return _is_refused(str(carried), allow_private)
    if ip.is_link_local or ip.is_multicast:
        return True
    if allow_private:
        return False
    public = ip in _GLOBAL_UNICAST if ip.version == 6 else ip not in _PROTOCOL_ASSIGNMENTS
    return not (public and ip.is_global)


def _failure(url: str, reason: str) -> SourceUnavailableError:
    return SourceUnavailableError(f"{_shown(url)}: {reason}")


def _shown(url: str) -> str:
    """Name a URL in a message, without password, and without query, where signatures are."""
    return shown(re.sub(r"(?<=//)[^/]*@", "", re.split("[?#]", url, maxsplit=1)[0]))
