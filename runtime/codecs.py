"""Codecs: between JSON values and the types that generated code holds instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .errors import ContractViolation

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Codec(Protocol[T]):
    """Makes a typed value of a JSON value that its schema has accepted, and back."""

    def load(self, value: Any, /) -> T:
        """Return the typed value of *value*."""
        ...

    def dump(self, value: T, /) -> object:
        """Return the JSON value of *value*."""
        ...


class Adapter(Protocol[T_co]):
    """What `ModelCodec` needs of a ``pydantic.TypeAdapter``."""

    def validate_python(
        self, value: Any, /, *, by_alias: bool | None = ..., by_name: bool | None = ...
    ) -> T_co:
        """Return the model of *value*."""
        ...

    def dump_python(
        self,
        value: Any,
        /,
        *,
        by_alias: bool | None = ...,
        exclude_unset: bool = ...,
        warnings: Any = ...,
    ) -> Any:
        """Return the JSON value of a model."""
        ...


class ModelCodec(Generic[T]):
    """Loads and dumps pydantic models by their wire names, without unset members.

    *make_adapter* is called at the first use, since adapters are slow to make.
    """

    def __init__(self, make_adapter: Callable[[], Adapter[T]]) -> None:
        self._make_adapter = make_adapter
        self._adapter: Adapter[T] | None = None

    def load(self, value: Any, /) -> T:
        """Return the model of *value*, which its schema has accepted."""
        try:
            return self._get_adapter().validate_python(value, by_alias=True, by_name=False)
        except ValueError as error:
            raise ContractViolation(
                "a value that the generated model takes",
                "one that only its schema takes",
                pointer="",
                keyword="model",
                schema_location="",
            ) from error

    def dump(self, value: T, /) -> object:
        """Return the JSON value of a model."""
        # In the mode "json" bytes, sets and dates would turn into something else, unseen by the
        # schema; a value of another type is left for the schema to refuse, without a warning.
        return self._get_adapter().dump_python(
            value, by_alias=True, exclude_unset=True, warnings=False
        )

    def _get_adapter(self) -> Adapter[T]:
        if self._adapter is None:
            self._adapter = self._make_adapter()
        return self._adapter
