"""A contract into the outline of its module."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pi_contracts.contracts.digest import get_digest, make_contract_bundle
from pi_contracts.contracts.model import Events, Method, Mode, State
from pi_contracts.contracts.names import (
    Claim,
    allot,
    allot_attributes,
    allot_parameters,
    capitalize,
    claim_wire,
    is_plain_identifier,
    make_class_name,
    make_constant,
    split_words,
)

from .fitting import Argument, fit_annotation, fit_assignment, fit_call, fit_signature
from .headings import make_heading, write_schemas
from .literals import WIDTH, explode, lay_out, measure, quote, write_docstring, write_section
from .outline import Class, ContractOutline, ErrorClass, Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import (
        Contract,
        Deprecation,
        ErrorCase,
        Location,
        Member,
        Parameter,
    )
    from pi_contracts.contracts.names import PublicNames

    from .references import References
    from .sections import TypeSection

_SELF = Argument("self")
_CONTEXT = Argument("ctx", "rt.Context")
_STAR = Argument("*")
_LONGEST_MESSAGE = 72
_TOKENS = {Mode.SINGLETON: "Singleton", Mode.KEYED: "Keyed", Mode.REFERENCE: "Referenced"}
_TOKEN_USES = {
    Mode.SINGLETON: "give it to ``use`` and ``provide``",
    Mode.KEYED: "give it to ``observe`` and ``provide_keyed``",
    Mode.REFERENCE: "methods that return a reference name it",
}
# Where a field of a class had such a name, the annotations after it would mean the field.
_ANNOTATION_WORDS = frozenset(
    "bool bytes dict float frozenset int list object pydantic rt set str t tuple type".split()
)


def outline_contract(
    catalogue: Catalogue,
    contract: Contract,
    types: TypeSection,
    public: PublicNames,
    references: References,
) -> ContractOutline:
    """Return the outline of a contract's module.

    *types* are its payload types, *public* its public names, and *references* the names
    of the services that its methods return.
    """
    return _Outliner(catalogue, contract, types, public, references).make()


class _Outliner:
    """One contract being outlined."""

    def __init__(
        self,
        catalogue: Catalogue,
        contract: Contract,
        types: TypeSection,
        public: PublicNames,
        references: References,
    ) -> None:
        self.catalogue = catalogue
        self.contract = contract
        self.types = types
        self.public = public
        self.references = references
        self.attributes = allot_attributes(member.name for member in contract.members)
        self.cells = [one for one in contract.members if not isinstance(one, Method)]
        self.methods = [one for one in contract.members if isinstance(one, Method)]
        self.parameters = {one.name: _name_parameters(one) for one in self.methods}
        self.errors = {case.code: case for case in contract.errors}
        names = _name_privately(self.methods, contract, public, references)
        self.schemas, self.proxy, self.constants, self.params = names
        self.bundle = make_contract_bundle(catalogue, contract)
        self.digest = get_digest(contract, self.bundle)

    def make(self) -> ContractOutline:
        contract = self.contract
        service = f"``{contract.service_id}``"
        about = _lower(contract.description or f"a contract of mode {contract.mode}")
        exports = (
            *self.types.exports,
            self.public.protocol,
            self.public.provider,
            self.public.token,
            *self.public.errors.values(),
        )
        return ContractOutline(
            heading=make_heading(
                self.catalogue,
                contract.document,
                digest=self.digest,
                uses_pydantic=bool(self.types.modelled),
                docstring=f"{service}: {about}",
                standard=("import abc",) if self.methods else (),
                types=self.types,
                local=self.references.imports,
                exports=exports,
            ),
            types=self.types.text,
            errors=tuple(map(self._outline_error, contract.errors)),
            consumer=self._outline_consumer(service),
            provider=self._outline_provider(service),
            params=tuple(map(self._declare_params, self.methods)),
            proxy=self._outline_proxy(),
            schemas=write_schemas(
                self.bundle.document,
                is_asserting=self.catalogue.documents[contract.document].dialect.asserts_format,
            ),
            members=tuple(self._tabulate(member) for member in contract.members),
            token=self._make_token(),
            token_docstring=write_docstring(
                f"The token of {service}: {_TOKEN_USES[contract.mode]}.", 0
            ),
        )

    def _point(self, root: str) -> str:
        return quote(self.bundle.pointers[root])

    # Errors

    def _outline_error(self, case: ErrorCase) -> ErrorClass:
        name = self.public.errors[case.code]
        message = Argument("message", "str", quote(_word_message(case)))
        data = self.types.annotations[case.data] if case.data is not None else ""
        arguments = [_SELF, message, *([_STAR, Argument("data", data)] if data else [])]
        return ErrorClass(
            name,
            write_docstring(case.description or f"The error ``{case.code}``.", 4),
            quote(case.code),
            data and fit_annotation("data: ", data, "", 4),
            Function(
                fit_signature("def __init__", arguments, "None", 4),
                statements=(f"super().__init__(message{', data' if data else ''})",),
            ),
        )

    # What a consumer sees

    def _outline_consumer(self, service: str) -> Class:
        text = f"What a consumer of {service} sees, in this process or another."
        text += _word_deprecation(self.contract.deprecation)
        return Class(
            f"class {self.public.protocol}(t.Protocol):",
            write_docstring(text, 4),
            tuple(map(self._outline_view, self.contract.members)),
        )

    def _outline_view(self, member: Member) -> Function:
        decorators = ()
        if member.deprecation is not None:
            notice = _word_deprecation(member.deprecation).strip()
            decorators = (lay_out("@rt.deprecated(", [quote(notice)], ")", 4),)
        if isinstance(member, Method):
            return Function(
                self._sign(member, self._annotate_result(member)),
                self._describe(member, self._list_sections(member)),
                decorators,
            )
        attribute = self.attributes[member.name]
        return Function(
            fit_signature(f"def {attribute}", [_SELF], self._annotate_view(member), 4),
            self._describe(member),
            ("@property", *decorators),
        )

    def _describe(self, member: Member, sections: Iterable[str] = ()) -> str:
        kind = {Method: "method", State: "state", Events: "events"}[type(member)]
        text = member.description or f"The {kind} ``{member.name}``."
        return write_docstring(text + _word_deprecation(member.deprecation), 8, tuple(sections))

    def _list_sections(self, method: Method) -> Iterator[str]:
        names = self.parameters[method.name]
        if any(one.description for one in method.params):
            entries = {names[one.name]: one.description for one in _order(method) if one.required}
            entries["ctx"] = "The invocation; cancelling it cancels this call."
            entries |= {
                names[one.name]: one.description for one in method.params if not one.required
            }
            texts = {name: text or "As its type says." for name, text in entries.items()}
            yield from write_section("Args", texts, 8)
        raised = {
            self.public.errors[code]: self.errors[code].description or f"The error ``{code}``."
            for code in method.errors
        }
        if raised:
            yield from ("",) if any(one.description for one in method.params) else ()
            yield from write_section("Raises", raised, 8)

    def _sign(self, method: Method, result: str) -> str:
        names = self.parameters[method.name]
        given = [
            Argument(names[p.name], self.types.annotations[p.schema])
            for p in _order(method)
            if p.required
        ]
        optional = [
            Argument(names[p.name], f"{self.types.annotations[p.schema]} | rt.Unset", "rt.UNSET")
            for p in method.params
            if not p.required
        ]
        star = [_STAR] if optional else []
        arguments = [_SELF, *given, _CONTEXT, *star, *optional]
        return fit_signature(f"async def {self.attributes[method.name]}", arguments, result, 4)

    def _annotate_view(self, member: State | Events) -> str:
        if isinstance(member, State):
            return f"rt.State[{self.types.annotations[member.value]}]"
        return f"rt.Events[{self.types.annotations[member.payload]}]"

    def _annotate_result(self, method: Method) -> str:
        if method.returns is not None:
            return f"rt.Reference[{self.references.protocols[method.returns]}]"
        return "None" if method.result is None else self.types.annotations[method.result]

    # What a provider writes

    def _outline_provider(self, service: str) -> Class:
        methods = [*self._outline_constructor()]
        for method in self.methods:
            result = self._annotate_result(method)
            if method.returns is not None:
                result = self.references.providers[method.returns]
            signature = self._sign(method, result)
            methods.append(Function(signature, self._describe(method), ("@abc.abstractmethod",)))
        what = "write the methods, " if self.methods else ""
        text = f"Implement {service}: subclass, {what}provide an instance."
        bases = "(abc.ABC)" if self.methods else ""
        head = f"class {self.public.provider}{bases}:"
        return Class(head, write_docstring(text, 4), tuple(methods))

    def _outline_constructor(self) -> Iterator[Function]:
        if not self.cells:
            return
        states = [one for one in self.cells if isinstance(one, State)]
        names = allot_parameters((one.name for one in states), "/members/")
        given = [Argument(names[one.name], self.types.annotations[one.value]) for one in states]
        arguments = [_SELF, *([_STAR, *given] if given else [])]
        statements: list[str] = []
        for cell in self.cells:
            constant = self.constants[cell.name]
            kind, items = "rt.EventSource", [constant]
            if isinstance(cell, State):
                kind, items = "rt.MutableState", [constant, names[cell.name]]
            statements.append(self._assign_cell(cell, kind, items))
        signature = fit_signature("def __init__", arguments, "None", 4)
        yield Function(signature, statements=tuple(statements))

    def _assign_cell(self, cell: State | Events, callee: str, items: list[str]) -> str:
        target = f"self.{self.attributes[cell.name]}"
        return fit_call(target, "t.Final", callee, items, 8, tall=False)

    # The proxy

    def _declare_params(self, method: Method) -> str:
        name = self.params[method.name]
        fields = {
            one.name: (self.types.annotations[one.schema], one.required) for one in method.params
        }
        if all(_is_field(one) for one in fields):
            lines = [f"class {name}(rt.TypedDict):"]
            for key, (annotation, is_required) in fields.items():
                text = annotation if is_required else f"rt.NotRequired[{annotation}]"
                lines.append("    " + fit_annotation(f"{key}: ", text, "", 4))
            return "\n".join(lines if fields else [*lines, "    pass"])
        entries = [
            f"{quote(key)}: {quote(text)}"
            if is_required
            else f"{quote(key)}: rt.NotRequired[{quote(text)}]"
            for key, (text, is_required) in fields.items()
        ]
        return explode(
            f"{name} = rt.TypedDict(", [quote(name), explode("{", entries, "}", 4)], ")", 0
        )

    def _outline_proxy(self) -> Class:
        statements = ["self._link = link"]
        for cell in self.cells:
            callee = "link.state" if isinstance(cell, State) else "link.events"
            statements.append(self._assign_cell(cell, callee, [self.constants[cell.name]]))
        constructor = fit_signature("def __init__", [_SELF, Argument("link", "rt.Link")], "None", 4)
        methods = [Function(constructor, statements=tuple(statements))]
        methods += [
            Function(
                self._sign(method, self._annotate_result(method)),
                statements=tuple(self._call(method)),
            )
            for method in self.methods
        ]
        return Class(f"class {self.proxy}:", "", tuple(methods))

    def _call(self, method: Method) -> Iterator[str]:
        names = self.parameters[method.name]
        given = [f"{quote(p.name)}: {names[p.name]}" for p in _order(method) if p.required]
        yield lay_out(f"params: {self.params[method.name]} = {{", given, "}", 8)
        for one in method.params:
            if not one.required:
                yield f"if not isinstance({names[one.name]}, rt.Unset):"
                yield "    " + fit_assignment(f"params[{quote(one.name)}]", names[one.name], 12)
        call = "call" if method.returns is None else "call_reference"
        items = [self.constants[method.name], "params", "ctx"]
        yield lay_out(f"return await self._link.{call}(", items, ")", 8)

    # The member table

    def _tabulate(self, member: Member) -> str:
        name = self.constants[member.name]
        items = [quote(member.name), self.schemas]
        if isinstance(member, State):
            annotation = self.types.annotations[member.value]
            kind, argument = "rt.StateMember", annotation
            items += [
                f"value={self._point(f'{member.name}.value')}",
                *self._code("codec", member.value),
            ]
        elif isinstance(member, Events):
            annotation = self.types.annotations[member.payload]
            kind, argument = "rt.EventsMember", annotation
            items.append(f"payload={self._point(f'{member.name}.payload')}")
            if member.discriminator is not None:
                items.append(f"discriminator={quote(member.discriminator)}")
            items += self._code("codec", member.payload)
        else:
            kind = "rt.Method"
            argument = f"{self.params[member.name]}, {self._annotate_result(member)}"
            items += self._tabulate_method(member)
        if self.attributes[member.name] != member.name:
            items.append(f"attribute={quote(self.attributes[member.name])}")
        return fit_call(name, f"t.Final[{kind}[{argument}]]", kind, items, 0, tall=True)

    def _tabulate_method(self, method: Method) -> Iterator[str]:
        yield f"params={self._point(f'{method.name}.params')}"
        if method.result is not None:
            yield f"result={self._point(f'{method.name}.result')}"
        if method.returns is not None:
            yield f"returns=lambda: {self.references.tokens[method.returns]}"
        if method.errors:
            yield _make_tuple("errors=", map(self._tabulate_error, method.errors))
        names = self.parameters[method.name]
        if method.params:
            rows = [
                _fit_argument(
                    "rt.Parameter(",
                    [quote(one.name), quote(names[one.name]), f"required={one.required}"],
                    ")",
                    8,
                )
                for one in _order(method)
            ]
            yield _make_tuple("parameters=", rows)
            if any(one.schema in self.types.modelled for one in method.params):
                yield _make_codec("params_codec", self.params[method.name])
        if method.result is not None:
            yield from self._code("result_codec", method.result)

    def _tabulate_error(self, code: str) -> str:
        name = self.public.errors[code]
        data = self.errors[code].data
        if data is None:
            return f"rt.ErrorCase({name})"
        items = [name, self.schemas, f"data={self._point(f'{code}.data')}"]
        items += self._code("codec", data)
        return _fit_argument("rt.ErrorCase(", items, ")", 8)

    def _code(self, argument: str, payload: Location) -> Iterator[str]:
        """Yield the argument that makes models of JSON, where the payload holds any."""
        if payload in self.types.modelled:
            yield _make_codec(argument, self.types.annotations[payload])

    # The token

    def _make_token(self) -> str:
        contract = self.contract
        kind = f"rt.{_TOKENS[contract.mode]}"
        items = [
            f"id={quote(contract.service_id)}",
            f"version={contract.version}",
            f"digest={quote(self.digest)}",
        ]
        if contract.scopes is not None:
            items.append(_make_tuple("scopes=", map(quote, contract.scopes)))
        table = [self.constants[member.name] for member in contract.members]
        items += [_make_tuple("members=", table), f"proxy={self.proxy}"]
        if contract.key is not None:
            pointer = self._point("$key")
            items.append(_fit_argument("key=rt.Validator(", [self.schemas, pointer], ")", 4))
        if contract.deprecation is not None:
            items.append("deprecated=True")
        annotation = f"t.Final[{kind}[{self.public.protocol}]]"
        return fit_call(self.public.token, annotation, kind, items, 0, tall=True)


class _Private(NamedTuple):
    """The private names of a module; those of members by their wire names."""

    schemas: str
    proxy: str
    constants: Mapping[str, str]
    params: Mapping[str, str]


def _name_privately(
    methods: Iterable[Method], contract: Contract, public: PublicNames, references: References
) -> _Private:
    # What is no member keeps its name, whatever a member is called.
    own = [("SCHEMAS", ""), *((alias, alias) for alias in references.aliases)]
    claims = [Claim(("own", key), name, "", exact=True) for name, key in own]
    members = claim_wire((one.name for one in contract.members), make_constant, "/members/")
    claims += [Claim(("member", one.key), *one[1:]) for one in members]
    constants = allot(claims, str)
    proxy = f"{public.protocol}Proxy"
    params = claim_wire(
        (one.name for one in methods),
        lambda name: make_class_name(f"{capitalize(name)}Params"),
        "/members/",
    )
    classes = allot(
        [
            Claim(("own", ""), proxy, "", exact=True),
            *(Claim(("member", one.key), *one[1:]) for one in params),
        ],
        str,
    )

    def pick(names: Mapping[tuple[str, str], str]) -> dict[str, str]:
        return {key: f"_{name}" for (role, key), name in names.items() if role == "member"}

    return _Private(
        f"_{constants['own', '']}", f"_{classes['own', '']}", pick(constants), pick(classes)
    )


def _name_parameters(method: Method) -> Mapping[str, str]:
    place = f"/members/{method.name}/params/"
    return allot_parameters((one.name for one in method.params), place)


def _make_codec(argument: str, annotation: str) -> str:
    return f"{argument}=rt.ModelCodec(lambda: pydantic.TypeAdapter({annotation}))"


def _order(method: Method) -> list[Parameter]:
    """Return the parameters of a method, the required ones first, each kind in call order."""
    return sorted(method.params, key=lambda one: not one.required)


def _is_field(name: str) -> bool:
    """Tell whether a class can declare a field of that name and mean it."""
    return (
        is_plain_identifier(name)
        and not name.startswith("__")
        and name not in _ANNOTATION_WORDS
        and name.isascii()
    )


def _make_tuple(head: str, items: Iterable[str]) -> str:
    """Return ``head(items)`` as an argument of a call that has one on each line."""
    texts = list(items)
    if len(texts) != 1:
        return _fit_argument(f"{head}(", texts, ")", 4)
    line = f"{head}({texts[0]},)"
    return line if 5 + measure(line) <= WIDTH else explode(f"{head}(", texts, ")", 4)


def _fit_argument(head: str, items: Sequence[str], tail: str, indent: int) -> str:
    """Return ``head item, item tail`` where a comma will follow."""
    line = f"{head}{', '.join(items)}{tail}"
    return line if indent + measure(line) < WIDTH else explode(head, items, tail, indent)


def _lower(text: str) -> str:
    """Return a sentence as it goes on after a colon; abbreviations and names keep their capital."""
    return text[0].lower() + text[1:] if re.match(r"[A-Z]([a-z ]|$)", text) else text


def _word_message(case: ErrorCase) -> str:
    """Return the message that an error has by default: the first sentence of its description."""
    sentence = re.split(r"(?<=[.!?])\s|\n", case.description or "", maxsplit=1)[0]
    message = _lower(sentence.strip().removesuffix("."))
    if message and measure(quote(message)) <= _LONGEST_MESSAGE:
        return message
    return " ".join(word.lower() for word in split_words(case.code))


def _word_deprecation(deprecation: Deprecation | None) -> str:
    """Return a paragraph that says since when, what instead, and why; empty if there is none."""
    if deprecation is None:
        return ""
    since = f" since {deprecation.since}" if deprecation.since else ""
    use = f": use ``{deprecation.use}``" if deprecation.use else ""
    reason = f" {deprecation.reason}" if deprecation.reason else ""
    return f"\n\nDeprecated{since}{use}.{reason}"
