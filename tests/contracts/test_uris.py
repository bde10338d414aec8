from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.contracts.uris import join, normalize_file, split

BASE = "http://a/b/c/d;p?q"
EXAMPLES = {  # of RFC 3986, sections 5.4.1 and 5.4.2
    "": "http://a/b/c/d;p?q",
    "#s": "http://a/b/c/d;p?q#s",
    ".": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../..": "http://a/",
    "../../../../g": "http://a/g",
    "../../../g": "http://a/g",
    "../../g": "http://a/g",
    "../g": "http://a/b/g",
    "./": "http://a/b/c/",
    "./../g": "http://a/b/g",
    "./g": "http://a/b/c/g",
    "./g/.": "http://a/b/c/g/",
    ".g": "http://a/b/c/.g",
    "..g": "http://a/b/c/..g",
    "//g": "http://g",
    "/../g": "http://a/g",
    "/./g": "http://a/g",
    "/g": "http://a/g",
    ";x": "http://a/b/c/;x",
    "?y": "http://a/b/c/d;p?y",
    "g": "http://a/b/c/g",
    "g#s": "http://a/b/c/g#s",
    "g.": "http://a/b/c/g.",
    "g/": "http://a/b/c/g/",
    "g/../h": "http://a/b/c/h",
    "g/./h": "http://a/b/c/g/h",
    "g;x=1/../y": "http://a/b/c/y",
    "g?y#s": "http://a/b/c/g?y#s",
    "g?y/./x": "http://a/b/c/g?y/./x",
    "g:h": "g:h",
}
OTHERS = [
    ("urn:example:root", "other", "urn:other"),
    ("urn:example:root", "#part", "urn:example:root#part"),
    ("urn:example:root#old", "#part", "urn:example:root#part"),
    ("tag:example,2020:a/b", "c", "tag:example,2020:a/c"),
    ("file:///a/b.json", "../c.json", "file:///c.json"),
    ("http://host", "a", "http://host/a"),
    ("http://host/a", "//[", "http://["),
    ("a/b", "c", "a/c"),
    ("file:///a/b.json", "C:\\x.json", "C:\\x.json"),
]
FILES = ["/a b.json", "/é~x(1)#?.json", "/a%20b.json", "/a&b=c;d,e+f!'.json", "/x:y@z.json"]


@pytest.mark.parametrize("reference", EXAMPLES)
def test_the_examples_of_the_specification_resolve_as_it_says(reference: str) -> None:
    assert join(BASE, reference) == EXAMPLES[reference]


@pytest.mark.parametrize(("base", "reference", "expected"), OTHERS)
def test_every_scheme_resolves_alike(base: str, reference: str, expected: str) -> None:
    assert join(base, reference) == expected


@given(st.text(alphabet="ab:/?#[]@.%\\ \n"), st.text(alphabet="ab:/?#[]@.%\\ \n"))
def test_any_text_resolves_to_some_uri(base: str, reference: str) -> None:
    whole, _ = split(join(base, reference))
    assert "#" not in whole


def test_a_fragment_is_split_off_with_its_escapes_undone() -> None:
    assert split("a#b%20c%25") == ("a", "b c%")
    assert split("a") == ("a", "")


@pytest.mark.parametrize("path", FILES)
def test_file_uris_are_spelled_as_paths_spell_them(path: str) -> None:
    uri = Path(path).as_uri()
    assert normalize_file(uri) == uri
    assert normalize_file("file://" + path.replace("%", "%25")) == uri
    assert normalize_file("file://localhost" + uri.removeprefix("file://")) == uri


def test_drive_letters_keep_their_colon_and_other_schemes_their_spelling() -> None:
    assert normalize_file("file:///C:/a b") == "file:///C:/a%20b"
    assert normalize_file("http://x/a b") == "http://x/a b"
