"""The end of a contract's module: the types of arguments, the member table and the token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.model import Events, Method, Mode, State
from pi_contracts.contracts.names import is_plain_identifier

from .fitting import fit_annotation, fit_call, fit_enclosed
from .literals import WIDTH, explode, measure, quote
from .setting import order_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pi_contracts.contracts.model import Location, Member

    from .setting import Setting

_TOKENS = {Mode.SINGLETON: "Singleton", Mode.KEYED: "Keyed", Mode.REFERENCE: "Referenced"}
# In a class, an annotation below a field of such a name would mean the field.
_HIDING = frozenset("bool dict float int list pydantic rt str t".split())


def declare_params(setting: Setting, method: Method) -> str:
    """Return the declaration of the type of a method's arguments, by their wire names."""
    name = setting.params[method.name]
    fields = [(one.name, setting.annotate(one.schema), one.required) for one in method.params]
    if all(_fits_class(key) for key, _, _ in fields):
        lines = [f"class {name}(rt.TypedDict):"]
        for key, annotation, is_required in fields:
            text = annotation if is_required else f"rt.NotRequired[{annotation}]"
            lines.append("    " + fit_annotation(f"{key}: ", text, "", 4))
        return "\n".join(lines if fields else [*lines, "    pass"])
    # A call evaluates its annotations at once, and what they name may not be complete by then.
    entries = [
        fit_enclosed(
            f"{quote(key)}: ",
            quote(text) if is_required else f"rt.NotRequired[{quote(text)}]",
            ",",
            8,
        ).removesuffix(",")
        for key, text, is_required in fields
    ]
    return explode(f"{name} = rt.TypedDict(", [quote(name), explode("{", entries, "}", 4)], ")", 0)


def tabulate(setting: Setting, member: Member) -> str:
    """Return the entry of the member table for *member*."""
    items = [quote(member.name), setting.schemas]
    if isinstance(member, State):
        kind, argument = "rt.StateMember", setting.annotate(member.value)
        items.append(f"value={setting.point(f'{member.name}.value')}")
        items += _convert(setting, "codec", member.value)
    elif isinstance(member, Events):
        kind, argument = "rt.EventsMember", setting.annotate(member.payload)
        items.append(f"payload={setting.point(f'{member.name}.payload')}")
        if member.discriminator is not None:
            items.append(f"discriminator={quote(member.discriminator)}")
        items += _convert(setting, "codec", member.payload)
    else:
        kind = "rt.Method"
        argument = f"{setting.params[member.name]}, {setting.annotate_result(member)}"
        items += _tabulate_method(setting, member)
    if setting.attributes[member.name] != member.name:
        items.append(f"attribute={quote(setting.attributes[member.name])}")
    annotation = f"t.Final[{kind}[{argument}]]"
    return fit_call(setting.constants[member.name], annotation, kind, items, 0, tall=True)


def make_token(setting: Setting) -> str:
    """Return the statement that makes the token."""
    contract = setting.contract
    kind = f"rt.{_TOKENS[contract.mode]}"
    items = [
        f"id={quote(contract.service_id)}",
        f"version={contract.version}",
        f"digest={quote(setting.digest)}",
    ]
    if contract.scopes is not None:
        items.append(_make_tuple("scopes=", map(quote, contract.scopes)))
    table = [setting.constants[member.name] for member in contract.members]
    items += [_make_tuple("members=", table), f"proxy={setting.proxy}"]
    if contract.key is not None:
        validator = [setting.schemas, setting.point("$key")]
        items.append(_fit_argument("key=rt.Validator(", validator, ")", 4))
    if contract.deprecation is not None:
        items.append("deprecated=True")
    annotation = f"t.Final[{kind}[{_name_sides(setting)}]]"
    return fit_call(setting.public.token, annotation, kind, items, 0, tall=True)


def _name_sides(setting: Setting) -> str:
    """Return the types of both sides; most providers are what their consumers see."""
    methods = (one for one in setting.contract.members if isinstance(one, Method))
    if any(method.returns is not None for method in methods):
        return f"{setting.public.protocol}, {setting.public.provider}"
    return setting.public.protocol


def make_codec(argument: str, annotation: str, indent: int) -> str:
    """Return the argument that makes models of JSON, and JSON of models."""
    adapter = f"lambda: pydantic.TypeAdapter({annotation})"
    if indent + 5 + measure(adapter) > WIDTH:
        inner = fit_enclosed("", annotation, ",", indent + 8).removesuffix(",")
        adapter = explode("lambda: pydantic.TypeAdapter(", [inner], ")", indent + 4)
    head = f"{argument}=rt.ModelCodec("
    if "\n" in adapter:
        return explode(head, [adapter], ")", indent)
    return _fit_argument(head, [adapter], ")", indent)


def _fits_class(name: str) -> bool:
    """Tell whether a class can declare a field of that name."""
    return is_plain_identifier(name) and not name.startswith("__") and name not in _HIDING


def _tabulate_method(setting: Setting, method: Method) -> Iterator[str]:
    yield f"params={setting.point(f'{method.name}.params')}"
    if method.result is not None:
        yield f"result={setting.point(f'{method.name}.result')}"
    if method.returns is not None:
        yield f"returns=lambda: {setting.references.tokens[method.returns]}"
    if method.errors:
        yield _make_tuple("errors=", (_tabulate_error(setting, code) for code in method.errors))
    if method.params:
        names = setting.parameters[method.name]
        rows = (
            [quote(one.name), quote(names[one.name]), f"required={one.required}"]
            for one in order_parameters(method)
        )
        parameters = (_fit_argument("rt.Parameter(", row, ")", 8) for row in rows)
        yield _make_tuple("parameters=", parameters)
    if any(one.schema in setting.types.modelled for one in method.params):
        yield make_codec("params_codec", setting.params[method.name], 4)
    if method.result is not None:
        yield from _convert(setting, "result_codec", method.result)


def _tabulate_error(setting: Setting, code: str) -> str:
    name = setting.public.errors[code]
    (data,) = (case.data for case in setting.contract.errors if case.code == code)
    if data is None:
        return f"rt.ErrorCase({name})"
    items = [name, setting.schemas, f"data={setting.point(f'{code}.data')}"]
    if data in setting.types.modelled:
        items.append(make_codec("codec", setting.annotate(data), 12))
    return _fit_argument("rt.ErrorCase(", items, ")", 8)


def _convert(setting: Setting, argument: str, payload: Location) -> Iterator[str]:
    if payload in setting.types.modelled:
        yield make_codec(argument, setting.annotate(payload), 4)


def _make_tuple(head: str, items: Iterable[str]) -> str:
    """Return ``head(items)`` as an argument of a call that has one on each line."""
    texts = list(items)
    if len(texts) != 1:
        return _fit_argument(f"{head}(", texts, ")", 4)
    line = f"{head}({texts[0]},)"
    fits = "\n" not in line and 5 + measure(line) <= WIDTH
    return line if fits else explode(f"{head}(", texts, ")", 4)


def _fit_argument(head: str, items: Sequence[str], tail: str, indent: int) -> str:
    """Return ``head item, item tail`` where a comma will follow."""
    line = f"{head}{', '.join(items)}{tail}"
    fits = "\n" not in line and indent + measure(line) < WIDTH
    return line if fits else explode(head, items, tail, indent)
