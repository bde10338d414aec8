"""A contract into the outline of its module."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pi_contracts.contracts.model import Events, Method, Mode, State
from pi_contracts.contracts.names import allot_parameters, split_words

from .fitting import Argument, fit_annotation, fit_assignment, fit_call, fit_signature
from .headings import make_heading, write_schemas
from .literals import lay_out, measure, quote, write_docstring
from .member_table import declare_params, make_token, tabulate
from .outline import Class, ContractOutline, ErrorClass, Function
from .setting import make_setting, order_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Contract, Deprecation, ErrorCase, Member
    from pi_contracts.contracts.names import PublicNames

    from .references import References
    from .sections import TypeSection
    from .setting import Setting

_SELF = Argument("self")
_CONTEXT = Argument("ctx", "rt.Context")
_STAR = Argument("*")
_LONGEST_MESSAGE = 72
_KINDS = {Method: "method", State: "state", Events: "events"}
_TOKEN_USES = {
    Mode.SINGLETON: "give it to ``use`` and ``provide``",
    Mode.KEYED: "give it to ``observe`` and ``provide_keyed``",
    Mode.REFERENCE: "methods that return a reference name it",
}


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
    setting = make_setting(catalogue, contract, types, public, references)
    methods = [one for one in contract.members if isinstance(one, Method)]
    service = f"``{contract.service_id}``"
    about = _lower(_choose(contract.description, f"a contract of mode {contract.mode}."))
    names = (public.protocol, public.provider, public.token, *public.errors.values())
    return ContractOutline(
        heading=make_heading(
            catalogue,
            contract.document,
            digest=setting.digest,
            docstring=f"{service}: {about}",
            exports=(*types.exports, *names),
            types=types,
            uses_pydantic=bool(types.modelled),
            standard=("import abc",) if methods else (),
            local=references.imports,
        ),
        types=types.text,
        errors=tuple(_outline_error(setting, case) for case in contract.errors),
        consumer=_outline_consumer(setting, service),
        provider=_outline_provider(setting, service, methods),
        params=tuple(declare_params(setting, method) for method in methods),
        proxy=_outline_proxy(setting, methods),
        schemas=write_schemas(
            setting.bundle.document,
            is_asserting=catalogue.documents[contract.document].dialect.asserts_format,
        ),
        members=tuple(tabulate(setting, member) for member in contract.members),
        token=make_token(setting),
        token_docstring=write_docstring(
            f"The token of {service}: {_TOKEN_USES[contract.mode]}.", 0
        ),
    )


def _outline_error(setting: Setting, case: ErrorCase) -> ErrorClass:
    data = "" if case.data is None else setting.annotate(case.data)
    arguments = [_SELF, Argument("message", "str", quote(_word_message(case)))]
    if data:
        arguments += [_STAR, Argument("data", data)]
    return ErrorClass(
        setting.public.errors[case.code],
        write_docstring(case.description or "", 4, fallback=_name_error(case)),
        quote(case.code),
        data and fit_annotation("data: ", data, "", 4),
        Function(
            fit_signature("def __init__", arguments, "None", 4),
            statements=(f"super().__init__(message{', data' if data else ''})",),
        ),
    )


# What a consumer sees


def _outline_consumer(setting: Setting, service: str) -> Class:
    text = f"What a consumer of {service} sees, in this process or another."
    return Class(
        f"class {setting.public.protocol}(t.Protocol):",
        write_docstring(text + _word_deprecation(setting.contract.deprecation), 4),
        tuple(_outline_view(setting, member) for member in setting.contract.members),
    )


def _outline_view(setting: Setting, member: Member) -> Function:
    decorators: tuple[str, ...] = ()
    if member.deprecation is not None:
        notice = " ".join(_word_deprecation(member.deprecation).split())
        decorators = (lay_out("@rt.deprecated(", [quote(notice)], ")", 4),)
    if isinstance(member, Method):
        return Function(
            _sign(setting, member, setting.annotate_result(member)),
            _describe(member, _list_sections(setting, member)),
            decorators,
        )
    if isinstance(member, State):
        result = f"rt.State[{setting.annotate(member.value)}]"
    else:
        result = f"rt.Events[{setting.annotate(member.payload)}]"
    signature = fit_signature(f"def {setting.attributes[member.name]}", [_SELF], result, 4)
    return Function(signature, _describe(member), ("@property", *decorators))


def _describe(member: Member, sections: Mapping[str, Mapping[str, str]] | None = None) -> str:
    name = f"The {_KINDS[type(member)]} ``{member.name}``."
    text = _choose(member.description, name) + _word_deprecation(member.deprecation)
    return write_docstring(text, 8, sections, fallback=name)


def _list_sections(setting: Setting, method: Method) -> dict[str, dict[str, str]]:
    """Return what is to be said of arguments, if any is described, and of errors."""
    sections: dict[str, dict[str, str]] = {}
    names = setting.parameters[method.name]
    if any(one.description for one in method.params):
        rows = [
            (names[one.name], _choose(one.description, "As its type says."))
            for one in order_parameters(method)
        ]
        context = ("ctx", "The invocation; cancelling it cancels this call.")
        # It stands where it does in the signature.
        rows.insert(_count_required(method), context)
        sections["Args"] = dict(rows)
    if method.errors:
        cases = [one for one in setting.contract.errors if one.code in method.errors]
        sections["Raises"] = {
            str(setting.public.errors[one.code]): _choose(one.description, _name_error(one))
            for one in cases
        }
    return sections


def _count_required(method: Method) -> int:
    return sum(one.required for one in method.params)


def _sign(setting: Setting, method: Method, result: str) -> str:
    names = setting.parameters[method.name]
    arguments = [_SELF]
    for one in order_parameters(method):
        annotation = setting.annotate(one.schema)
        if one.required:
            arguments.append(Argument(names[one.name], annotation))
        else:
            # None stands last, as linters want it.
            plain = annotation.removesuffix(" | None")
            null = " | None" if plain != annotation else ""
            arguments.append(Argument(names[one.name], f"{plain} | rt.Unset{null}", "rt.UNSET"))
    count = _count_required(method)
    optional = [_STAR] if count < len(method.params) else []
    arguments[count + 1 : count + 1] = [_CONTEXT, *optional]
    return fit_signature(f"async def {setting.attributes[method.name]}", arguments, result, 4)


# What a provider writes


def _outline_provider(setting: Setting, service: str, methods: Sequence[Method]) -> Class:
    functions = [*_outline_constructor(setting)]
    for method in methods:
        result = setting.annotate_result(method)
        if method.returns is not None:
            result = setting.references.providers[method.returns]
        signature = _sign(setting, method, result)
        functions.append(Function(signature, _describe(method), ("@abc.abstractmethod",)))
    what = "write the methods, " if methods else ""
    text = f"Implement {service}: subclass, {what}provide an instance."
    head = f"class {setting.public.provider}{'(abc.ABC)' if methods else ''}:"
    return Class(head, write_docstring(text, 4), tuple(functions))


def _outline_constructor(setting: Setting) -> Iterator[Function]:
    """Yield the constructor that makes the cells, if there are any."""
    states = [one for one in setting.contract.members if isinstance(one, State)]
    names = allot_parameters((one.name for one in states), "/members/")
    values = [Argument(names[one.name], setting.annotate(one.value)) for one in states]
    arguments = [_SELF, *([_STAR, *values] if values else [])]
    statements: list[str] = []
    for member in setting.contract.members:
        constant = setting.constants[member.name]
        if isinstance(member, State):
            items = [constant, names[member.name]]
            statements.append(_assign_cell(setting, member, "rt.MutableState", items))
        elif isinstance(member, Events):
            statements.append(_assign_cell(setting, member, "rt.EventSource", [constant]))
    if statements:
        signature = fit_signature("def __init__", arguments, "None", 4)
        yield Function(signature, statements=tuple(statements))


def _assign_cell(
    setting: Setting, member: State | Events, callee: str, items: Sequence[str]
) -> str:
    target = f"self.{setting.attributes[member.name]}"
    return fit_call(target, "t.Final", callee, items, 8, tall=False)


# The proxy


def _outline_proxy(setting: Setting, methods: Sequence[Method]) -> Class:
    statements = ["self._link = link"]
    for member in setting.contract.members:
        if not isinstance(member, Method):
            callee = "link.state" if isinstance(member, State) else "link.events"
            items = [setting.constants[member.name]]
            statements.append(_assign_cell(setting, member, callee, items))
    signature = fit_signature("def __init__", [_SELF, Argument("link", "rt.Link")], "None", 4)
    functions = [Function(signature, statements=tuple(statements))]
    for method in methods:
        signature = _sign(setting, method, setting.annotate_result(method))
        functions.append(Function(signature, statements=tuple(_call(setting, method))))
    return Class(f"class {setting.proxy}:", "", tuple(functions))


def _call(setting: Setting, method: Method) -> Iterator[str]:
    names = setting.parameters[method.name]
    given = [f"{quote(one.name)}: {names[one.name]}" for one in method.params if one.required]
    yield lay_out(f"params: {setting.params[method.name]} = {{", given, "}", 8)
    for one in method.params:
        if not one.required:
            yield lay_out("if not isinstance(", [names[one.name], "rt.Unset"], "):", 8)
            yield "    " + fit_assignment(f"params[{quote(one.name)}]", names[one.name], 12)
    call = "call" if method.returns is None else "call_reference"
    items = [setting.constants[method.name], "params", "ctx"]
    yield lay_out(f"return await self._link.{call}(", items, ")", 8)


# Words


def _lower(text: str) -> str:
    """Return a sentence as it goes on after a colon; abbreviations keep their capital."""
    return text[0].lower() + text[1:] if re.match(r"[A-Z]([a-z ]|$)", text) else text


def _choose(text: str | None, default: str) -> str:
    """Return *text*, if it says anything."""
    return text if text and text.strip() else default


def _name_error(case: ErrorCase) -> str:
    return f"The error ``{case.code}``."


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
