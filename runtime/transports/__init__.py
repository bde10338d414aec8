"""Transports: ways for bytes between two processes, all used alike.

``connect_x(...)`` makes a `Connect`, one attempt each time it is called;
``listen_x(...)`` makes a `Listen`. Both take the endpoint and, for the client, the
credential, so that hosts know neither.
"""

from __future__ import annotations

from .child import connect_child, listen_stdio
from .listening import Listening
from .memory import MemoryAddress, connect_memory, listen_memory, make_memory_pair
from .tcp import connect_tcp, listen_tcp, load_client_tls, load_server_tls
from .unix import UnsafePath, connect_unix, listen_unix
from .websocket import MissingWebsocketsError, connect_websocket, listen_websocket

__all__ = (
    "Listening",
    "MemoryAddress",
    "MissingWebsocketsError",
    "UnsafePath",
    "connect_child",
    "connect_memory",
    "connect_tcp",
    "connect_unix",
    "connect_websocket",
    "listen_memory",
    "listen_stdio",
    "listen_tcp",
    "listen_unix",
    "listen_websocket",
    "load_client_tls",
    "load_server_tls",
    "make_memory_pair",
)
