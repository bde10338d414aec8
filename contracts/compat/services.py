"""Services: what changed between two generations of one contract, and whom it breaks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pi_contracts.contracts.digest import encode_canonically, make_contract_bundle
from pi_contracts.contracts.findings import quote
from pi_contracts.contracts.json_values import escape_token
from pi_contracts.contracts.model import Contract, Events, Location, Method, Mode, State

from .decide import Kind
from .flat import FlatDocument, FlatSchema, make_schemas
from .flows import Break, FlowComparer, FlowReport
from .verdicts import Direction, Order, Position, choose_order, combine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.model import Member

_OLD, _NEW = Direction.OLD_CONSUMER, Direction.NEW_CONSUMER
_ANY_KEY = FlatSchema(FlatDocument({"type": "string"}))
"""The keys of a keyed service that says nothing of them."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A contract as one generation has it, and its catalogue."""

    catalogue: Catalogue
    contract: Contract

    @property
    def path(self) -> str:
        """The path of the file, in its generation."""
        return self.catalogue.documents[self.contract.document].path

    def make_schemas(self) -> dict[str, FlatSchema]:
        """Return the schemas of all payloads by the names of their flows."""
        return make_schemas(make_contract_bundle(self.catalogue, self.contract))


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, and what it means for one direction."""

    rule: str
    """A short name, such as ``member-removed``."""
    direction: Direction
    kind: Kind
    text: str
    pointer: str
    """The place in the contract files."""
    member: str | None = None
    flow: str | None = None
    witness: Any = None
    has_witness: bool = False
    is_warning: bool = False
    """Whether it is compatible and yet worth a warning."""
    is_sent_by_provider: bool = False
    """Of a flow, whether consumers receive it."""
    origin: Location | None = None
    """Of a flow, where the newer generation says what differs, if that is known."""
    facts: tuple[str, ...] = ()
    """What makes its fingerprint, beside service, rule, direction and place."""


@dataclass(slots=True)
class ServiceReport:
    """What became of one service."""

    service: str
    old: Generation | None
    """None if the service is new."""
    new: Generation | None
    changes: list[Change] = field(default_factory=list[Change])
    flows: dict[str, FlowReport] = field(default_factory=dict[str, FlowReport])

    @property
    def verdicts(self) -> dict[Direction, Kind]:
        """The worst of all changes, by direction."""
        return combine({one.direction: one.kind} for one in self.changes)

    @property
    def order(self) -> Order:
        """Whose hosts can be upgraded first."""
        return choose_order(self.verdicts)

    def get_member_verdicts(self, member: str) -> dict[Direction, Kind]:
        """Return the worst of the changes of one member, by direction."""
        mine = (one for one in self.changes if one.member == member)
        return combine({one.direction: one.kind} for one in mine)

    @property
    def moved(self) -> tuple[str, str] | None:
        """The paths of its files, if the contract stands in another one than before."""
        if self.old is None or self.new is None:
            return None
        paths = self.old.path, self.new.path
        return None if paths[0] == paths[1] else paths

    @property
    def needs_version(self) -> bool:
        """Whether it breaks old consumers without a greater version."""
        if self.old is None or self.new is None:
            return False
        raised = self.new.contract.version > self.old.contract.version
        return self.verdicts[_OLD] is Kind.BREAKING and not raised


def compare_services(
    old: Generation,
    new: Generation,
    look_up: Callable[[str, str], Mapping[Direction, Kind]] | None = None,
) -> ServiceReport:
    """Return what changed between two generations of a service.

    Args:
        old: The older generation.
        new: The newer one.
        look_up: Gives the verdicts of two services of mode reference, by their ids.
    """
    report = ServiceReport(new.contract.service_id, old, new)
    comparison = _Comparison(old, new, look_up)
    for change in comparison.compare():
        report.changes.append(change)
    report.flows = comparison.flows
    return report


def report_missing(old: Generation | None, new: Generation | None) -> ServiceReport:
    """Return the report of a service that one generation does not have."""
    if new is None and old is not None:
        report = ServiceReport(old.contract.service_id, old, None)
        text = "nobody provides the service any more"
        report.changes.append(Change("service-removed", _OLD, Kind.BREAKING, text, "/service"))
    else:
        assert new is not None  # noqa: S101 # one of both is there
        report = ServiceReport(new.contract.service_id, None, new)
        text = "the service is new, no old provider has it"
        report.changes.append(Change("service-added", _NEW, Kind.BREAKING, text, "/service"))
    return report


class _Comparison:
    def __init__(
        self,
        old: Generation,
        new: Generation,
        look_up: Callable[[str, str], Mapping[Direction, Kind]] | None,
    ) -> None:
        self.old = old.contract
        self.new = new.contract
        self.look_up = look_up
        self.old_schemas = old.make_schemas()
        self.new_schemas = new.make_schemas()
        self.old_codes = _list_codes(self.old)
        self.new_codes = _list_codes(self.new)
        self.flows: dict[str, FlowReport] = {}
        self.comparer: FlowComparer | None = None

    def compare(self) -> Iterator[Change]:
        yield from self.compare_service()
        old = {member.name: member for member in self.old.members}
        new = {member.name: member for member in self.new.members}
        for name in dict.fromkeys((*old, *new)):
            if name not in new:
                text = f"the member {quote(name)} is gone"
                yield _change("member-removed", _OLD, text, "/members", name)
            elif name not in old:
                text = f"the member {quote(name)} is new, no old provider has it"
                yield _change("member-added", _NEW, text, _point("members", name), name)
            else:
                yield from self.compare_members(old[name], new[name])
        yield from self.compare_errors()

    def compare_service(self) -> Iterator[Change]:
        if self.old.mode is not self.new.mode:
            text = f"the mode was {self.old.mode} and is {self.new.mode}"
            yield from _change_both("mode-changed", text, "/service/mode")
        elif self.new.mode is Mode.KEYED:
            yield from self.compare_keys()
        before, after = self.old.scopes, self.new.scopes
        if before != after:
            if after is not None and (before is None or set(before) - set(after)):
                text = "the service may no longer be provided in every scope of before"
                yield _change("scopes-narrowed", _OLD, text, "/service/scopes")
            if before is not None and (after is None or set(after) - set(before)):
                text = "the service may be provided in scopes where no old provider is"
                yield _change("scopes-widened", _NEW, text, "/service")

    def compare_keys(self) -> Iterator[Change]:
        old = self.old_schemas.get("$key", _ANY_KEY)
        new = self.new_schemas.get("$key", _ANY_KEY)
        yield from self.compare_flow("$key", Position.ARGUMENT, (old, new), "/service/key")

    def compare_members(self, old: Member, new: Member) -> Iterator[Change]:
        at = _point("members", old.name)
        if isinstance(old, Method) and isinstance(new, Method):
            yield from self.compare_methods(old, new)
        elif isinstance(old, State) and isinstance(new, State):
            yield from self.compare_payload(f"{old.name}.value", Position.STATE, f"{at}/value")
        elif isinstance(old, Events) and isinstance(new, Events):
            if old.discriminator != new.discriminator:
                text = "the discriminator has changed"
                yield from _change_both("discriminator-changed", text, at, old.name)
            yield from self.compare_payload(f"{old.name}.payload", Position.EVENT, f"{at}/payload")
        else:
            text = f"the member {quote(old.name)} is of another kind"
            yield from _change_both("kind-changed", text, f"{at}/kind", old.name)

    def compare_methods(self, old: Method, new: Method) -> Iterator[Change]:
        at = _point("members", old.name)
        yield from self.compare_payload(f"{old.name}.params", Position.ARGUMENT, f"{at}/params")
        yield from self.compare_results(old, new, at)
        yield from self.compare_codes(old, new, at)

    def compare_codes(self, old: Method, new: Method, at: str) -> Iterator[Change]:
        """Compare what a method raises: a consumer names each code that its contract lists."""
        whose = f"of the member {quote(old.name)}"
        for code in old.errors:
            if code not in new.errors and code not in self.new_codes:
                text = f"the error {quote(code)} {whose} is gone, old providers may raise it"
                yield _warn("error-removed", _NEW, text, at, old.name)
        for code in new.errors:
            if code not in old.errors and code not in self.old_codes:
                text = f"the error {quote(code)} {whose} is new"
                yield _warn("error-added", _OLD, text, f"{at}/errors", old.name)

    def compare_results(self, old: Method, new: Method, at: str) -> Iterator[Change]:
        name = old.name
        if (old.returns is None) is not (new.returns is None) and (
            old.returns is not None or new.returns is not None
        ):
            yield from self.compare_presence(old, new, at)
        elif old.returns is not None and new.returns is not None:
            if old.returns != new.returns:
                yield from self.compare_references(old, new, f"{at}/returns")
        elif old.result is not None and new.result is not None:
            yield from self.compare_payload(f"{name}.result", Position.RESULT, f"{at}/result")
        else:
            yield from self.compare_presence(old, new, at)

    def compare_presence(self, old: Method, new: Method, at: str) -> Iterator[Change]:
        """Compare methods of which at most one returns something, or each another kind."""
        had = old.result is not None or old.returns is not None
        has = new.result is not None or new.returns is not None
        if had and has:
            text = "the method returns a value where it returned a reference, or the reverse"
            yield from _change_both("result-changed", text, at, old.name)
        elif had:
            text = "the method returns nothing any more"
            yield _change("result-removed", _OLD, text, at, old.name)
        elif has:
            text = "the method returns something, an old provider returns nothing"
            yield _change("result-added", _NEW, text, at, old.name)

    def compare_references(self, old: Method, new: Method, at: str) -> Iterator[Change]:
        """Compare methods that return references to different services."""
        before, after = old.returns or "", new.returns or ""
        verdicts: Mapping[Direction, Kind] = self.look_up(before, after) if self.look_up else {}
        for direction in Direction:
            kind = verdicts.get(direction, Kind.BREAKING)
            text = f"the method returns {quote(after)} where it returned {quote(before)}"
            if kind is not Kind.COMPATIBLE:
                facts = (before, after)
                yield Change("reference-changed", direction, kind, text, at, old.name, facts=facts)

    def compare_errors(self) -> Iterator[Change]:
        for case in self.new.errors:
            name = f"{case.code}.data"
            before, after = self.old_schemas.get(name), self.new_schemas.get(name)
            if all(case.code != one.code for one in self.old.errors):
                continue
            at = _point("errors", case.code)
            if before is not None and after is not None:
                yield from self.compare_payload(name, Position.ERROR, f"{at}/data", is_member=False)
            elif before is not None:
                text = f"the error {quote(case.code)} has no data any more"
                yield _change("error-data-removed", _OLD, text, at)
            elif after is not None:
                text = f"the error {quote(case.code)} has data, an old provider sends none"
                yield _change("error-data-added", _NEW, text, at)

    def compare_payload(
        self, name: str, position: Position, pointer: str, *, is_member: bool = True
    ) -> Iterator[Change]:
        old, new = self.old_schemas[name], self.new_schemas[name]
        member = name.rpartition(".")[0] if is_member else None
        yield from self.compare_flow(name, position, (old, new), pointer, member)

    def compare_flow(
        self,
        name: str,
        position: Position,
        ends: tuple[FlatSchema, FlatSchema],
        pointer: str,
        member: str | None = None,
    ) -> Iterator[Change]:
        old, new = ends
        comparer = self.get_comparer(old.document, new.document)
        flow = comparer.compare(name, position, old.reference, new.reference)
        self.flows[name] = flow
        for one in flow.breaks:
            change = _tell(flow, one.direction, pointer, member)
            yield replace(change, origin=_find_origin(flow, one, new.document))

    def get_comparer(self, old: FlatDocument, new: FlatDocument) -> FlowComparer:
        if _ANY_KEY.document in {old, new}:
            return FlowComparer(old, new)
        if self.comparer is None:
            self.comparer = FlowComparer(old, new)
        return self.comparer


def _tell(flow: FlowReport, direction: Direction, pointer: str, member: str | None) -> Change:
    """Return the change that a flow is not known to be safe in a direction."""
    (one,) = (one for one in flow.breaks if one.direction is direction)
    ends = (direction.consumer, direction.provider)
    sender, receiver = ends if flow.position.is_sent_by_consumer else ends[::-1]
    if one.explanation is None:
        name = "not-decided"
        text = f"whether {receiver} takes all that {sender} may send is not known"
    else:
        name = one.explanation.rule
        text = one.explanation.text.format(sender=sender, receiver=receiver)
        if one.explanation.at:
            text = f"at {one.explanation.at}: {text}"
    return Change(
        name,
        direction,
        one.kind,
        text,
        pointer,
        member,
        flow.name,
        one.witness,
        one.has_witness,
        is_sent_by_provider=not flow.position.is_sent_by_consumer,
        facts=flow.digests,
    )


def _find_origin(flow: FlowReport, one: Break, new: FlatDocument) -> Location | None:
    """Return where the newer generation says what one direction of a flow breaks by."""
    if one.explanation is None:
        return None
    is_received = (one.direction is _OLD) is flow.position.is_sent_by_consumer
    return new.find_place(one.explanation.receiver if is_received else one.explanation.sender)


def make_fingerprint(service: str, change: Change) -> str:
    """Return what an acceptance names: made of the place and of what differs there.

    Of a flow its two schemas count, so that unrelated edits leave it as it is.
    """
    place = [service, change.flow or change.pointer, change.direction.value]
    facts = [*place, change.kind.value, *(change.facts or (change.rule, change.text))]
    return hashlib.sha256(encode_canonically(facts)).hexdigest()[:16]


def _point(*tokens: str) -> str:
    return "".join(f"/{escape_token(token)}" for token in tokens)


def _change(
    rule: str, direction: Direction, text: str, pointer: str, member: str | None = None
) -> Change:
    return Change(rule, direction, Kind.BREAKING, text, pointer, member)


def _change_both(rule: str, text: str, pointer: str, member: str | None = None) -> Iterator[Change]:
    for direction in Direction:
        yield _change(rule, direction, text, pointer, member)


def _list_codes(contract: Contract) -> frozenset[str]:
    """Return the codes that any method lists: by these a consumer names what is raised."""
    methods = (one for one in contract.members if isinstance(one, Method))
    return frozenset(code for method in methods for code in method.errors)


def _warn(rule: str, direction: Direction, text: str, pointer: str, member: str) -> Change:
    return Change(rule, direction, Kind.COMPATIBLE, text, pointer, member, is_warning=True)
