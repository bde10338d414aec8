"""Members: what a generated member table holds of each method, state and source of events.

A table is data: names, schemas and codecs. Calling and delivering belong elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast

from .discriminators import find_constants
from .errors import ContractViolation, ServiceError
from .unset import UNSET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .codecs import Codec
    from .schemas import Schemas
    from .strict_json import JsonValue
    from .tokens import Referenced

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")


class Payload(Generic[T]):
    """One place where values cross: a schema, and a codec where models are held."""

    __slots__ = ("_accepts", "_codec", "_pointer", "_schemas")

    def __init__(self, schemas: Schemas, pointer: str, codec: Codec[T] | None) -> None:
        self._schemas = schemas
        self._pointer = pointer
        self._codec = codec
        self._accepts: Callable[[object], bool] = self._compile_and_accept

    def dump(self, value: Any) -> Any:
        """Return the JSON of *value*, unchecked; it may share parts with *value*."""
        return value if self._codec is None else self._codec.dump(value)

    def load(self, value: Any) -> T:
        """Return what *value*, which was checked before, stands for."""
        return value if self._codec is None else self._codec.load(value)

    def check(self, value: Any, *place: str) -> JsonValue:
        """Return the JSON of *value*, or raise `ContractViolation` with a note of the place."""
        dumped: JsonValue = self.dump(value) if self._codec else value
        try:
            if self._accepts(dumped):
                return dumped
        except ValueError:
            pass  # a type that the schema alone cannot decide about
        self._judge(dumped, place)
        return dumped

    def check_json(self, value: object, *place: str) -> None:
        """Raise `ContractViolation` for JSON that does not fit.

        The parts of *place* say where it was found; they are joined only then.
        """
        try:
            if self._accepts(value):
                return
        except ValueError:
            pass  # a type that the schema alone cannot decide about
        self._judge(value, place)

    def find_constants(self, name: str) -> list[Any] | None:
        """Return what the property *name* of what crosses may be; None: that is open."""
        return find_constants(self._schemas.get_document(self._pointer), self._pointer, name)

    def _judge(self, value: object, place: tuple[str, ...]) -> None:
        try:
            self._schemas.get_judge(self._pointer).check(value)
        except ContractViolation as violation:
            violation.add_note(f"in {''.join(place)}")
            raise

    def _compile_and_accept(self, value: object) -> bool:
        self._accepts = self._schemas.get_judge(self._pointer).accepts
        return self._accepts(value)


class StateMember(Generic[T]):
    """A member that replicates the provider's latest value."""

    def __init__(
        self,
        name: str,
        schemas: Schemas,
        *,
        value: str,
        attribute: str | None = None,
        codec: Codec[T] | None = None,
    ) -> None:
        self.name: Final = name
        self.attribute: Final = name if attribute is None else attribute
        self.value: Final[Payload[T]] = Payload(schemas, value, codec)


class EventsMember(Generic[T]):
    """A member that sends events, which are never replayed."""

    def __init__(
        self,
        name: str,
        schemas: Schemas,
        *,
        payload: str,
        discriminator: str | None = None,
        attribute: str | None = None,
        codec: Codec[T] | None = None,
    ) -> None:
        self.name: Final = name
        self.attribute: Final = name if attribute is None else attribute
        self.discriminator: Final = discriminator
        self.payload: Final[Payload[T]] = Payload(schemas, payload, codec)
        self._types: list[Any] | None = None

    def make_filter(self, wanted: str) -> Callable[[T], bool]:
        """Return what tells whether an event's discriminator is *wanted*.

        Raises ValueError where the schema allows other constants only, and TypeError
        without a discriminator.
        """
        name = self.discriminator
        if name is None:
            raise TypeError(f'the events "{self.name}" have no discriminator: use subscribe')
        if self._types is None:
            self._types = self.payload.find_constants(name) or []
        if self._types and wanted not in self._types:
            raise ValueError(_word_unknown(self, wanted, self._types))

        def accepts(event: T) -> bool:
            dumped: JsonValue = self.payload.dump(event)
            return isinstance(dumped, dict) and dumped.get(name) == wanted

        return accepts


def _word_unknown(member: EventsMember[Any], wanted: str, known: list[Any]) -> str:
    import difflib  # noqa: PLC0415 - loaded when something is refused

    from .phrases import list_values, quote  # noqa: PLC0415 - as above

    place = f'of the events "{member.name}", {quote(str(member.discriminator))} is never'
    problem = f"{place} {quote(str(wanted))}: expected {list_values(known)}"
    near = difflib.get_close_matches(str(wanted), [one for one in known if isinstance(one, str)], 1)
    return f"{problem}\ndid you mean {quote(near[0])}?" if near else problem


class Parameter(NamedTuple):
    """One parameter: its name on the wire, its name in Python, and whether it must be given."""

    name: str
    attribute: str
    required: bool


class ErrorCase:
    """An error that a contract announces: its class, and the schema of its data."""

    def __init__(
        self,
        error: type[ServiceError],
        schemas: Schemas | None = None,
        *,
        data: str | None = None,
        codec: Codec[Any] | None = None,
    ) -> None:
        self.error: Final = error
        self.data: Final[Payload[Any] | None] = (
            None if schemas is None or data is None else Payload(schemas, data, codec)
        )

    @property
    def code(self) -> str:
        """The stable code of the error."""
        return self.error.code

    def make(self, message: str, data: JsonValue) -> ServiceError:
        """Return the error again on the consumer's side, from data that was checked."""
        # Generated classes have constructors of their own: (message) or (message, *, data).
        make = cast("Callable[..., ServiceError]", self.error)
        return make(message) if self.data is None else make(message, data=self.data.load(data))


class Method(Generic[P, R]):
    """A member that is called; ``result`` and ``returns`` exclude each other."""

    def __init__(
        self,
        name: str,
        schemas: Schemas,
        *,
        params: str,
        result: str | None = None,
        returns: Referenced[Any] | Callable[[], Referenced[Any]] | None = None,
        errors: tuple[ErrorCase, ...] = (),
        parameters: tuple[Parameter, ...] = (),
        attribute: str | None = None,
        params_codec: Codec[P] | None = None,
        result_codec: Codec[R] | None = None,
    ) -> None:
        self.name: Final = name
        self.attribute: Final = name if attribute is None else attribute
        self.params: Final[Payload[P]] = Payload(schemas, params, params_codec)
        self.result: Final[Payload[R] | None] = (
            None if result is None else Payload(schemas, result, result_codec)
        )
        self.errors: Final[Mapping[str, ErrorCase]] = {case.code: case for case in errors}
        self.parameters: Final = parameters
        self._required = tuple(p.name for p in parameters if p.required)
        self._optional = tuple((p.attribute, p.name) for p in parameters if not p.required)
        self._returns = returns
        self.refers: Final = returns is not None
        """Whether the result is a private reference."""

    def get_returned(self) -> Referenced[Any] | None:
        """Return the token of the service that the method returns a reference to, if it does."""
        returns = self._returns
        return returns() if callable(returns) else returns

    def bind(self, params: Mapping[str, object]) -> tuple[list[object], dict[str, object]]:
        """Return the positional and the named arguments of the Python method, without Context."""
        positional = list(map(params.__getitem__, self._required))
        if not self._optional:
            return positional, {}
        return positional, {
            attribute: params.get(name, UNSET) for attribute, name in self._optional
        }


Member: TypeAlias = Method[Any, Any] | StateMember[Any] | EventsMember[Any]
