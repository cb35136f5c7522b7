"""HTTPS on loopback: a certificate that vouches for itself, a server that has it, and a proxy that leads there."""

from __future__ import annotations

import datetime
import ipaddress
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from support.served_files import Ranged

__all__ = ["certificate", "proxied", "served_by_https"]


def certificate(folder: Path) -> Path:
    """A certificate of 127.0.0.1, with its key in the same file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path


@contextmanager
def served_by_https(folder: Path, pem: Path) -> Iterator[tuple[str, list]]:
    """Yield the URL of a folder, and the log of requests, as `served` does."""
    log: list = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with _running(partial(Ranged, directory=str(folder), log=log), context) as port:
        yield f"https://127.0.0.1:{port}", log


class _Proxy(BaseHTTPRequestHandler):
    """Passes requests on, and connections as they are; only with the login, where it has one."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments, log: list, login: str | None, **options):
        self.log, self.login = log, login
        super().__init__(*arguments, **options)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _is_allowed(self) -> bool:
        self.log.append(f"{self.command} {self.path}")
        if self.login is None or self.headers.get("Proxy-Authorization") == self.login:
            return True
        self.send_error(407)
        self.close_connection = True
        return False

    def do_CONNECT(self) -> None:
        if not self._is_allowed():
            return
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as there:
            self.send_response(200)
            self.end_headers()
            self._pass_on(there)
        self.close_connection = True

    def do_GET(self) -> None:
        if not self._is_allowed():
            return
        parts = urlsplit(self.path)
        with socket.create_connection((parts.hostname, parts.port)) as there:
            message = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
            there.sendall(f"GET {parts.path} HTTP/1.1\r\n{message}Connection: close\r\n\r\n".encode())
            while piece := there.recv(1 << 16):
                self.wfile.write(piece)
        self.close_connection = True

    def _pass_on(self, there: socket.socket) -> None:
        ends = {self.connection: there, there: self.connection}
        while True:
            for end in select.select([*ends], [], [])[0]:
                piece = end.recv(1 << 16)
                if not piece:
                    return
                ends[end].sendall(piece)


@contextmanager
def proxied(login: str | None = None) -> Iterator[tuple[str, list]]:
    """Yield the name and port of a proxy, and the log of requests; `login` is the required Proxy-Authorization."""
    log: list = []
    with _running(partial(_Proxy, log=log, login=login)) as port:
        yield f"127.0.0.1:{port}", log


@contextmanager
def _running(handler, context: ssl.SSLContext | None = None) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
