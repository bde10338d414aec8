"""WebSocket, as client and server: one text message a frame, for browsers and others.

The library ``websockets``, an optional extra, speaks the protocol without I/O; it is
imported when a connection is about to be made.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from pi_contracts.runtime.protocol import Framing, Limits

from .attempt import attempt
from .listening import Handover, Listening
from .receiving import AbortedError, Receiving
from .tcp import (
    HANDSHAKE,
    ClientTls,
    ServerTls,
    advise_plain,
    create_server,
    describe_peer,
    get_client_context,
    word_addresses,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pi_contracts.runtime.transport import Accept, Connect, Listen, Receiver
    from websockets.client import ClientProtocol
    from websockets.frames import Frame
    from websockets.server import ServerProtocol

_MOST_REPLIES: Final = 1024 * 1024
"""How many bytes of pongs may wait for a peer that does not read."""

_NORMAL: Final = 1000
_UNSUPPORTED: Final = 1003


class MissingWebsocketsError(ImportError):
    """The library for WebSockets is not installed."""

    def __init__(self) -> None:
        super().__init__(
            'the library "websockets" is not installed\nrun: pip install pi-contracts[websockets]'
        )


class WebSocketTransport(Receiving, asyncio.Protocol):
    """Either end of a WebSocket; nothing is read of it before it is started.

    *on_open* is called when the opening handshake is over: with None when it went
    well, else with why not. Nobody has the transport before.
    """

    _transport: asyncio.Transport

    def __init__(
        self,
        protocol: ClientProtocol | ServerProtocol,
        on_open: Callable[[WebSocketTransport, Exception | None], object],
        *,
        credential: str | None = None,
    ) -> None:
        super().__init__(credential)
        self.framing: Final = Framing.MESSAGE
        self._protocol = protocol
        self._on_open = on_open
        self._timer: asyncio.TimerHandle | None = None
        self._begun = bytearray()
        self._held = False
        self._replied = 0
        self._opened = False
        self._closing = False
        self._fault: Exception | None = None

    def start(self, receiver: Receiver) -> None:
        """Hand what arrives to *receiver* from now on."""
        self._begin(receiver)
        if not self._transport.is_closing():
            asyncio.get_running_loop().call_soon(self._handle_events)
            self._transport.resume_reading()

    def send(self, data: Sequence[bytes]) -> None:
        """Write each of *data* as a message, all in one go."""
        if self._closing or not self._opened or self._protocol.close_expected():
            return
        for text in data:
            self._protocol.send_text(text)
        self._flush()

    def close(self) -> None:
        """Begin the closing handshake after what was sent; the other side completes it."""
        if self._closing:
            return
        self._closing = True
        if not self._opened:
            self._transport.close()
        elif not self._protocol.close_expected():
            self._protocol.send_close(_NORMAL)
            self._flush()

    def abort(self) -> None:
        """End now, without a closing handshake; what was not sent is lost."""
        self._closing = True
        if not self._ended:
            self._fault = AbortedError()
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the opening handshake; only it is read before the start."""
        made = cast("asyncio.Transport", transport)
        self._transport = made
        made.set_write_buffer_limits(high=1, low=0)  # a TLS transport pauses at 0 bytes over 0
        self.facts = describe_peer(made, "websocket")
        fault = TimeoutError(f"the opening handshake took more than {HANDSHAKE:.0f} seconds")
        self._timer = asyncio.get_running_loop().call_later(HANDSHAKE, self._give_up, fault)
        from websockets.client import ClientProtocol  # noqa: PLC0415 - an optional extra

        if isinstance(self._protocol, ClientProtocol):
            self._protocol.send_request(self._protocol.connect())
            self._flush()

    def data_received(self, data: bytes) -> None:
        """Take what arrived through the protocol."""
        self._protocol.receive_data(data)
        self._handle_events()

    def pause_writing(self) -> None:
        """Count the pongs from now on: the library sends them whether they are read or not."""
        self._held = True
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on: everything was taken."""
        self._held = False
        self._replied = 0
        super().resume_writing()

    def eof_received(self) -> bool:
        """Take the end through the protocol; both directions end."""
        self._closing = True
        self._protocol.receive_eof()
        self._handle_events()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the receiver of the end."""
        self._stop_timer()
        if not self._opened:
            self._on_open(self, self._find_refusal(exc))
        self._end(self._find_error(exc))

    def _handle_events(self) -> None:
        from websockets.frames import Frame  # noqa: PLC0415 - an optional extra

        if not self._opened:
            self._shake_hands()
        if self._receiver is not None:
            for event in self._protocol.events_received():
                if isinstance(event, Frame):
                    self._take(event)
        self._flush()

    def _shake_hands(self) -> None:
        """Go on with the opening handshake as far as what has arrived allows."""
        from websockets.http11 import Request  # noqa: PLC0415 - an optional extra
        from websockets.protocol import State  # noqa: PLC0415 - an optional extra
        from websockets.server import ServerProtocol  # noqa: PLC0415 - an optional extra

        protocol = self._protocol
        if isinstance(protocol, ServerProtocol) and protocol.events:
            request = protocol.events.pop(0)
            if isinstance(request, Request):
                protocol.send_response(protocol.accept(request))
        if protocol.state is State.OPEN:
            self._opened = True
            self._stop_timer()
            self._transport.pause_reading()
            self._flush()
            self._on_open(self, None)

    def _take(self, frame: Frame) -> None:
        """Hand on a message once its last part is here."""
        from websockets.frames import Opcode  # noqa: PLC0415 - an optional extra

        if frame.opcode is Opcode.BINARY:
            self._closing = True
            self._fault = ConnectionError("the other side sent a message that is no text")
            self._protocol.fail(_UNSUPPORTED, "text is spoken here")
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT) and self._receiver is not None:
            if frame.fin and not self._begun:
                text = bytes(frame.data)
            else:
                self._begun += frame.data
                if not frame.fin:
                    return
                text = bytes(self._begun)
                self._begun.clear()
            if self._fault is None:
                self._receiver.receive(text)

    def _flush(self) -> None:
        """Write what the protocol has to send; an empty piece ends our direction."""
        pieces = self._protocol.data_to_send()
        transport = self._transport
        if not pieces or transport.is_closing():
            return
        ends = not pieces[-1]
        if self._held:
            self._replied += sum(map(len, pieces))
            if self._replied > _MOST_REPLIES:
                self._give_up(ConnectionError("the other side sends pings and never reads"))
                return
        # Not `writelines`: up to Python 3.12.8 and 3.13.1 it never asks to pause.
        transport.write(b"".join(pieces))
        if self._protocol.close_expected():
            self._closing = True
        if ends:
            transport.close()

    def _find_refusal(self, exc: Exception | None) -> Exception:
        from websockets.exceptions import InvalidMessage  # noqa: PLC0415 - an optional extra

        refusal = self._protocol.handshake_exc or exc or self._fault
        is_plain = isinstance(refusal, InvalidMessage) and "tls" not in self.facts
        hint = "; is TLS expected there?" if is_plain else ""
        return ConnectionError(f"no WebSocket was opened: {refusal or 'the other side left'}{hint}")

    def _find_error(self, exc: Exception | None) -> Exception | None:
        """Return why the link ended, unless the other side closed it in order or we did."""
        if self._fault is not None:
            return self._fault
        received = self._protocol.close_rcvd
        if received is not None and received.code == _NORMAL:
            return None
        if received is not None:
            return ConnectionError(f"the other side closed the WebSocket with code {received.code}")
        return exc or self._protocol.parser_exc or ConnectionError("the WebSocket was cut off")

    def _give_up(self, fault: Exception) -> None:
        self._closing = True
        self._fault = fault
        self._transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def connect_websocket(
    uri: str,
    *,
    tls: ClientTls = True,
    limit: int | None = None,
    credential: str | None = None,
) -> Connect:
    """Return a `Connect` to *uri*; its ``wss`` or ``ws`` says whether TLS is spoken.

    *limit* bounds the bytes of a message. An attempt raises OSError, and
    `MissingWebsocketsError` where the library is not installed.
    """

    async def open_socket() -> WebSocketTransport:
        try:
            from websockets.client import ClientProtocol  # noqa: PLC0415 - an optional extra
            from websockets.uri import parse_uri  # noqa: PLC0415 - an optional extra
        except ImportError:
            raise MissingWebsocketsError from None
        loop = asyncio.get_running_loop()
        place = parse_uri(uri)
        opened: asyncio.Future[None] = loop.create_future()
        opened.add_done_callback(lambda future: future.cancelled() or future.exception())

        def settle(_: WebSocketTransport, error: Exception | None) -> None:
            if opened.done():
                return
            if error is None:
                opened.set_result(None)
            else:
                opened.set_exception(error)

        protocol = ClientProtocol(place, max_size=limit or Limits().frame)
        made = WebSocketTransport(protocol, settle, credential=credential)
        context = get_client_context(tls or True) if place.secure else None
        with advise_plain():
            await loop.create_connection(
                lambda: made,
                place.host,
                place.port,
                ssl=context,
                server_hostname=place.host if place.secure else None,
            )
        try:
            await opened
        except BaseException:
            made.abort()
            raise
        return made

    return lambda ctx: attempt(open_socket, ctx)


def listen_websocket(
    host: str,
    port: int,
    *,
    tls: ServerTls,
    origins: Sequence[str] = (),
    limit: int | None = None,
) -> Listen:
    """Return a `Listen` at *host* and *port*; 0 is any free port, named in ``addresses``.

    A web page may connect only if its origin is among *origins*; programs, which
    send none, always may. *limit* bounds the bytes of a message.
    """

    async def listen(accept: Accept) -> Listening:
        try:
            from websockets.server import ServerProtocol  # noqa: PLC0415 - an optional extra
            from websockets.typing import Origin  # noqa: PLC0415 - an optional extra
        except ImportError:
            raise MissingWebsocketsError from None
        handover = Handover(accept)

        def settle(transport: WebSocketTransport, error: Exception | None) -> None:
            if error is None:
                handover.accept(transport)

        def make() -> WebSocketTransport:
            allowed = [None, *map(Origin, origins)]
            protocol = ServerProtocol(origins=allowed, max_size=limit or Limits().frame)
            return WebSocketTransport(protocol, settle)

        server = await create_server(make, host, port, tls)
        return Listening(handover, server.close, word_addresses(server))

    return listen
