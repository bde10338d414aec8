from __future__ import annotations

import builtins
import keyword
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.model import Contract, ErrorCase, Mode
from pi_contracts.contracts.names import (
    LONGEST,
    Claim,
    ClassName,
    Constant,
    Identifier,
    ModuleName,
    allot,
    allot_attributes,
    allot_constants,
    allot_parameters,
    capitalize,
    claim_public_names,
    claim_wire,
    digest,
    find_collisions,
    fold,
    get_public_names,
    is_plain_identifier,
    make_attribute,
    make_class_name,
    make_constant,
    make_module_name,
    make_parameter,
    shorten,
    split_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = st.text(max_size=90) | st.text("aAbB1_-. /@$é田ß", max_size=12)


def name_class(text: str) -> ClassName:
    return make_class_name(capitalize(text))


def make_contract(service_id: str, *codes: str) -> Contract:
    return Contract(
        document="file:///a.contract.json",
        service_id=service_id,
        mode=Mode.SINGLETON,
        key=None,
        scopes=None,
        version=1,
        stability=None,
        title=None,
        description=None,
        members=(),
        errors=tuple(ErrorCase(code, None, None) for code in codes),
        deprecation=None,
        asserts_format=False,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cycleThinking", ["cycle", "Thinking"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("getHTTPResponse", ["get", "HTTP", "Response"]),
        ("@pi/question-dialog", ["pi", "question", "dialog"]),
        ("a.b/c d", ["a", "b", "c", "d"]),
        ("queue-v1", ["queue", "v1"]),
        ("v1Beta", ["v1", "Beta"]),
        ("__init__", ["init"]),
        ("SCREAMING_CASE", ["SCREAMING", "CASE"]),
        ("ПриветМир", ["Привет", "Мир"]),
        ("ÀÉÎxyz", ["ÀÉ", "Îxyz"]),
        ("田字", ["田字"]),
        ("\ufb01le", ["file"]),
        ("", ["empty"]),
        ("$", ["u0024"]),
        ("---", ["u002d002d002d"]),
    ],
)
def test_a_wire_name_has_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("make", "text", "name"),
    [
        (make_attribute, "cycleThinking", "cycle_thinking"),
        (make_attribute, "HTTPServer", "http_server"),
        (make_attribute, "class", "class_"),
        (make_attribute, "list", "list_"),
        (make_attribute, "id", "id"),
        (make_attribute, "match", "match"),
        (make_attribute, "3d", "n3d"),
        (make_parameter, "id", "id_"),
        (make_parameter, "self", "self_"),
        (make_parameter, "ctx", "ctx_"),
        (make_parameter, "t", "t_"),
        (make_parameter, "modelId", "model_id"),
        (make_constant, "@pi/question-dialog", "PI_QUESTION_DIALOG"),
        (make_constant, "3d", "N3D"),
        (make_module_name, "queue-v1", "queue_v1"),
        (make_module_name, "import", "import_"),
        (make_module_name, "CON", "con_"),
        (make_class_name, "Models", "Models"),
        (make_class_name, "None", "NoneType"),
        (make_class_name, "Warning", "WarningType"),
        (make_class_name, "3dView", "N3dView"),
    ],
)
def test_each_kind_of_name_has_its_own_form(
    make: Callable[[str], str], text: str, name: str
) -> None:
    assert make(text) == name


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (make_attribute, Identifier),
        (make_parameter, Identifier),
        (make_constant, Constant),
        (make_module_name, ModuleName),
        (name_class, ClassName),
    ],
)
@given(text=TEXTS)
def test_whatever_the_text_the_name_is_a_usable_identifier(
    make: Callable[[str], str], kind: type, text: str
) -> None:
    name = make(text)
    assert type(name) is kind
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    assert unicodedata.normalize("NFKC", name) == name
    assert not name.startswith("_")
    assert len(name) <= LONGEST + 1


@given(text=TEXTS)
def test_a_parameter_hides_no_builtin(text: str) -> None:
    assert not hasattr(builtins, make_parameter(text))


def test_no_class_hides_a_builtin_of_this_python() -> None:
    names = [name for name in dir(builtins) if name[0].isupper()]
    assert [name for name in names if make_class_name(name) == name] == []


def test_a_long_name_ends_in_a_digest_of_the_whole() -> None:
    first, second = shorten("x" * 100 + "a"), shorten("x" * 100 + "b")
    assert first != second
    assert len(first) == len(second) == LONGEST


@pytest.mark.parametrize(
    ("name", "is_plain"),
    [("a", True), ("_a", True), ("class", False), ("a-b", False), ("\ufb01le", False), ("", False)],
)
def test_only_an_identifier_that_nothing_folds_is_plain(name: str, *, is_plain: bool) -> None:
    assert is_plain_identifier(name) is is_plain


def test_names_are_compared_as_python_folds_them() -> None:
    assert fold("\ufb01le") == fold("file") == "file"


def test_of_names_that_meet_the_one_spelled_so_keeps_it() -> None:
    claims = [
        Claim("derived", "Foo", "/a"),
        Claim("exact", "Foo", "/$defs/Foo", exact=True),
        Claim("alone", "Bar", "/b"),
    ]
    assert allot(claims, ClassName) == {
        "derived": f"Foo_{digest('/a')}",
        "exact": "Foo",
        "alone": "Bar",
    }


def test_where_no_file_spells_the_name_each_gets_a_digest() -> None:
    claims = [Claim(1, "Foo", "/a"), Claim(2, "Foo", "/b")]
    assert allot(claims, str) == {1: f"Foo_{digest('/a')}", 2: f"Foo_{digest('/b')}"}


def test_a_digest_that_is_taken_grows() -> None:
    taken = f"Foo_{digest('/a')}"
    claims = [
        Claim(1, "Foo", "/a"),
        Claim(2, "Foo", "/$defs/Foo", exact=True),
        Claim(3, taken, "/$defs/x", exact=True),
    ]
    assert allot(claims, str) == {1: f"Foo_{digest('/a', 7)}", 2: "Foo", 3: taken}


@given(st.permutations(["a-b", "a_b", "aB", "A.B", "c"]))
def test_the_order_of_claims_does_not_matter(names: list[str]) -> None:
    assert allot_attributes(names) == allot_attributes(sorted(names))


@pytest.mark.parametrize("allot_names", [allot_attributes, allot_parameters, allot_constants])
@given(names=st.lists(TEXTS, unique=True, max_size=20))
def test_different_wire_names_get_different_names(
    allot_names: Callable[[list[str]], dict[str, str]], names: list[str]
) -> None:
    allotted = allot_names(names)
    assert list(allotted) == names
    assert len({fold(name) for name in allotted.values()}) == len(names)


def test_a_collision_names_who_keeps_the_name_first() -> None:
    claims = claim_wire(["a-b", "a_b"], make_attribute, "/members/")
    (collision,) = find_collisions(claims)
    assert collision.name == "a_b"
    assert [claim.place for claim in collision.claims] == ["/members/a_b", "/members/a-b"]


def test_a_service_gives_a_protocol_a_provider_a_token_and_errors() -> None:
    claims = claim_public_names(make_contract("question-dialog", "unknown_model", "Busy"))
    names = get_public_names(allot(claims, str))
    assert names.protocol == "QuestionDialog"
    assert names.provider == "QuestionDialogProvider"
    assert names.token == "QUESTION_DIALOG"
    assert names.errors == {"unknown_model": "UnknownModel", "Busy": "Busy"}


def test_an_error_that_is_called_like_the_service_gives_way_unless_spelled_so() -> None:
    names = get_public_names(allot(claim_public_names(make_contract("models", "models")), str))
    assert names.protocol == f"Models_{digest('/service/id')}"
    assert names.errors == {"models": f"Models_{digest('/errors/models')}"}

    names = get_public_names(allot(claim_public_names(make_contract("b")), str))
    assert (names.protocol, names.provider, names.token) == ("B", "BProvider", "B_TOKEN")
