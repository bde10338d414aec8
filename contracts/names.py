"""Names: how what a contract calls things becomes names in Python, and what happens when two meet.

Wire names stay as they are everywhere else. The lists of reserved words are
written out, so that every version of Python gives the same names.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from .model import Contract

LONGEST = 64
"""How many characters a name that is made from others has at most."""


class ClassName(str):
    """A name of a class or a type, in capitalized words."""

    __slots__ = ()


class Identifier(str):
    """A name of a method, an attribute or a parameter, in lower case."""

    __slots__ = ()


class Constant(str):
    """A name of a constant, in upper case."""

    __slots__ = ()


class ModuleName(str):
    """A name of a module or a package, in lower case."""

    __slots__ = ()


_KEYWORDS = frozenset(
    """False None True and as assert async await break class continue def del elif else except
    finally for from global if import in is lambda nonlocal not or pass raise return try while
    with yield""".split()
)
_BUILTINS = frozenset(
    """abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float
    format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
    len license list locals map max memoryview min next object oct open ord pow print property
    quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type
    vars zip""".split()
)
_BUILTIN_CLASSES = frozenset(
    """ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup
    BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError
    ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
    DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
    False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
    ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError
    KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None
    NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError
    RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
    StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
    TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError
    ZeroDivisionError""".split()
)
# Inside the body of a class a method hides a name of the module from the annotations below it.
_ANNOTATION_WORDS = frozenset(
    """abc bool dict float int isinstance list object property pydantic rt str super t tuple
    type""".split()
)
_PARAMETER_WORDS = _BUILTINS | frozenset("abc cls ctx params pydantic rt self t".split())
_DEVICES = frozenset(
    [
        "aux",
        "con",
        "nul",
        "prn",
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
    ]
)

_RUN = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")


def fold(name: str) -> str:
    """Return *name* as Python compares identifiers: in normal form KC."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def is_plain_identifier(name: str) -> bool:
    """Tell whether *name* can be written as it is: an identifier, no keyword, nothing folded."""
    return name.isidentifier() and name not in _KEYWORDS and fold(name) == name


def split_words(text: str) -> list[str]:
    """Return the words of a wire name.

    Everything but letters and digits separates words, and so does a step from a
    lower-case to an upper-case letter; of letters in a row that are all upper case,
    the last belongs to what follows: ``HTTPServer`` is HTTP and Server. A text
    without any word becomes one, from its code points.
    """
    text = fold(text)
    words = [word for run in _RUN.findall(text) for word in _split_run(run)]
    if words:
        return words
    return ["empty"] if not text else ["u" + "".join(f"{ord(char):04x}" for char in text[:4])]


def _split_run(run: str) -> list[str]:
    if run.isascii():
        return _ASCII_WORD.findall(run)
    run = "".join(char for char in run if ("a" + char).isidentifier())
    words: list[str] = []
    for index, char in enumerate(run):
        before, after = run[index - 1 : index], run[index + 1 : index + 2]
        starts = char.isupper() and (before.islower() or before.isdigit() or after.islower())
        if starts or not words:
            words.append(char)
        else:
            words[-1] += char
    return words


@functools.lru_cache(maxsize=10_000)
def capitalize(text: str) -> str:
    """Return the words of *text* as a part of a class name: ``queue-v1`` gives ``QueueV1``."""
    return fold("".join(word[0].upper() + word[1:] for word in split_words(text)))


def make_class_name(path: str) -> ClassName:
    """Return the class name for *path*, which is made of capitalized parts."""
    name = _start_with_letter(path, "N")
    return ClassName(name + "Type" if name in _BUILTIN_CLASSES else shorten(name))


def make_constant(text: str) -> Constant:
    """Return the constant for a wire name: ``question-dialog`` gives ``QUESTION_DIALOG``."""
    name = "_".join(word.upper() for word in split_words(text))
    return Constant(shorten(_start_with_letter(fold(name), "N")))


def make_attribute(text: str) -> Identifier:
    """Return the name of a method or an attribute: ``cycleThinking`` gives ``cycle_thinking``."""
    return Identifier(_make_lower(text, _ANNOTATION_WORDS))


def make_parameter(text: str) -> Identifier:
    """Return the name of a parameter; it hides no builtin and nothing of a method's own."""
    return Identifier(_make_lower(text, _PARAMETER_WORDS))


def make_module_name(text: str) -> ModuleName:
    """Return the name of a module or package for a name of a file or folder."""
    return ModuleName(_make_lower(text, _DEVICES))


def _make_lower(text: str, reserved: frozenset[str]) -> str:
    name = "_".join(word.lower() for word in split_words(text))
    name = shorten(_start_with_letter(fold(name), "n"))
    return name + "_" if name in reserved or name in _KEYWORDS else name


def _start_with_letter(name: str, letter: str) -> str:
    return name if name.isidentifier() else letter + name


def shorten(name: str) -> str:
    """Return *name*, or its beginning and a digest where it is too long to read."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 7]}_{digest(name)}"


def digest(text: str, length: int = 6) -> str:
    """Return the first hexadecimal digits of the SHA-256 hash of *text*."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:length]


Key = TypeVar("Key", bound="Hashable")
Name = TypeVar("Name", bound=str)


class Claim(NamedTuple, Generic[Key]):
    """That something wants a name: what, which name, and the place that tells it apart."""

    key: Key
    name: str
    place: str
    """A JSON pointer or a path; it decides nothing but the digits after a collision."""
    exact: bool = False
    """The file spells the name exactly so."""


class Collision(NamedTuple, Generic[Key]):
    """That several claims meet in one name; the first one keeps it if its file spells it so."""

    name: str
    claims: tuple[Claim[Key], ...]


def find_collisions(
    claims: Iterable[Claim[Key]], same: Callable[[str], str] = fold
) -> tuple[Collision[Key], ...]:
    """Return where claims meet; *same* maps names to what tells them apart."""
    groups: dict[str, list[Claim[Key]]] = {}
    for claim in claims:
        groups.setdefault(same(claim.name), []).append(claim)
    return tuple(
        Collision(
            group[0].name, tuple(sorted(group, key=lambda claim: (not claim.exact, claim.place)))
        )
        for group in groups.values()
        if len(group) > 1
    )


def allot(
    claims: Iterable[Claim[Key]],
    make: Callable[[str], Name],
    same: Callable[[str], str] = fold,
) -> dict[Key, Name]:
    """Give each claim a name of its own, whatever the order of the claims.

    Where names meet, the one that its file spells exactly so keeps it. Each other
    gets an underscore and six digits of the hash of its place.
    """
    claims = tuple(claims)
    names = {claim.key: claim.name for claim in claims}
    collisions = find_collisions(claims, same)
    if collisions:
        taken = {same(claim.name) for claim in claims}
        for collision in collisions:
            for claim in collision.claims[collision.claims[0].exact :]:
                length = 6
                while same(name := f"{claim.name}_{digest(claim.place, length)}") in taken:
                    length += 1
                taken.add(same(name))
                names[claim.key] = name
    return {key: make(name) for key, name in names.items()}


def allot_attributes(names: Iterable[str], place: str = "/members/") -> dict[str, Identifier]:
    """Give each member of a contract the name of its method or attribute."""
    return _allot_wire(names, make_attribute, place)


def allot_parameters(names: Iterable[str], place: str = "/params/") -> dict[str, Identifier]:
    """Give each parameter of a method its name."""
    return _allot_wire(names, make_parameter, place)


def allot_constants(names: Iterable[str], place: str = "/members/") -> dict[str, Constant]:
    """Give each of these wire names a constant."""
    return _allot_wire(names, make_constant, place)


def _allot_wire(names: Iterable[str], make: Callable[[str], Name], place: str) -> dict[str, Name]:
    return allot(claim_wire(names, make, place), type(make("a")))


def claim_wire(
    names: Iterable[str], make: Callable[[str], str], place: str
) -> tuple[Claim[str], ...]:
    """Return the claims of wire names that stand at *place*, which ends in a slash."""
    return tuple(
        Claim(name, made, place + escape_token(name), exact=made == name)
        for name in names
        for made in (make(name),)
    )


def escape_token(token: str) -> str:
    """Return a name as a token of a JSON pointer."""
    return token.replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True, slots=True)
class PublicNames:
    """The public names of a contract's module, beside those of its payload types."""

    protocol: ClassName
    provider: ClassName
    token: Constant
    errors: Mapping[str, ClassName]
    """Code -> the name of its class."""


def claim_public_names(contract: Contract) -> tuple[Claim[tuple[str, str]], ...]:
    """Return what a contract's module claims beside payload types; keys are (role, code)."""
    service = capitalize(contract.service_id)
    exact = service == contract.service_id
    token = make_constant(contract.service_id)
    if str(token) == str(make_class_name(service)):  # an id of one letter
        token = make_constant(f"{contract.service_id}-token")
    own: tuple[Claim[tuple[str, str]], ...] = (
        Claim(("protocol", ""), make_class_name(service), "/service/id", exact),
        Claim(("provider", ""), make_class_name(f"{service}Provider"), "/service/id"),
        Claim(("token", ""), token, "/service/id"),
    )
    errors = claim_wire(
        (case.code for case in contract.errors),
        lambda code: make_class_name(capitalize(code)),
        "/errors/",
    )
    return (*own, *(Claim(("error", claim.key), *claim[1:]) for claim in errors))


def get_public_names(names: Mapping[tuple[str, str], str]) -> PublicNames:
    """Return the names that were allotted to the claims of a contract."""
    return PublicNames(
        ClassName(names["protocol", ""]),
        ClassName(names["provider", ""]),
        Constant(names["token", ""]),
        {code: ClassName(name) for (role, code), name in names.items() if role == "error"},
    )
