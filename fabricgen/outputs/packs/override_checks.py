"""The checks of overrides before a build: each matches a switch, has a place, and can be read.

Owns the refusals `unmatched-override`, `unknown-place`, and `bad-override` for a text that its
reader would reject.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal, refuse, suggest
from fabricgen.core.files import FileError
from fabricgen.core.terms import COMPUTE
from fabricgen.outputs.packs.merged_document import parse_fragment
from fabricgen.outputs.packs.override_places import file_name, find_place, known_places
from fabricgen.planning.override_texts import bad_override, override_texts
from fabricgen.planning.switch_match import matches, switch_identities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.inventory.overrides import Override, OverrideMatch
    from fabricgen.outputs.packs.override_places import OverridePlace
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.override_texts import OverrideText
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.switch_match import SwitchIdentity

SHOWN = 12
"""Values that a hint lists."""


def check_overrides(
    plan: Plan, packs: Packs, configured: Sequence[Mapping[str, Pack]] | None
) -> None:
    """Verify that each override matches a switch, and has a place and a form that its NOS accepts.

    `configured` are the packs that write the files of switches, for each network of the cluster;
    None where no configurations are asked for, so that a NOS without a pack accepts any text.
    Raises Refusal.
    """
    _check_matches(plan)
    for number, network in enumerate(plan.cluster):
        _check_texts(network, packs, None if configured is None else configured[number])


def _check_texts(plan: Plan, packs: Packs, by_nos: Mapping[str, Pack] | None) -> None:
    """Verify the texts for the switches of one network. Raises Refusal."""
    texts = [*override_texts(plan)]
    matched = _matched(plan)
    for text in texts:
        for nos in sorted(matched[text.number]):
            pack = packs.for_nos(nos) if by_nos is None else by_nos.get(nos)
            if pack is None and by_nos is None:
                continue
            place = _place(text, nos, packs, pack)
            if not place.output.is_written(plan.spec.management):
                raise _unmanaged(text, nos, place.output)
            _check_form(text, nos, place.output)


def _matched(plan: Plan) -> dict[int, set[str]]:
    """Return the NOSes of the switches of a network that each override matches, by its number."""
    switches = [*switch_identities(plan)]
    return {
        number: {switch.nos for switch in switches if matches(override.match, switch)}
        for number, override in enumerate(plan.spec.overrides)
    }


def _check_matches(plan: Plan) -> None:
    """Refuse overrides that match no switch of any network.

    Raises Refusal `unmatched-override` with a finding for each.
    """
    switches = [switch for own in plan.cluster for switch in switch_identities(own)]
    unmatched = [
        (number, override)
        for number, override in enumerate(plan.spec.overrides)
        if not any(matches(override.match, switch) for switch in switches)
    ]
    if unmatched:
        raise Refusal(_unmatched(number, override, switches) for number, override in unmatched)


def _unmatched(number: int, override: Override, switches: Sequence[SwitchIdentity]) -> Finding:
    """Return the finding of an override that matches no switch."""
    known: dict[str, set[str] | set[int]] = {
        "role": {switch.role for switch in switches},
        "rail": {rail for switch in switches for rail in switch.rails},
        "plane": {switch.plane for switch in switches},
        "name": {switch.name for switch in switches},
        "nos": {switch.nos for switch in switches},
        "network": {switch.network for switch in switches} - {COMPUTE},
    }
    given = override.match.model_dump(exclude_none=True)
    for key, value in given.items():
        if not any(matches(_one(override, key, value), each) for each in switches):
            because = (f"no switch has `{key}: {value}`",)
            hint = suggest(str(value), map(str, known[key]), _listed(key, known[key]))
            break
    else:
        because = ("each of its values matches a switch, but no switch has all of them",)
        hint = "remove one of the values"
    fact = f"`overrides.{number}` matches no switch"
    path = ("overrides", number, "match")
    return Finding("unmatched-override", fact, path, because, hint)


def _one(override: Override, key: str, value: object) -> OverrideMatch:
    """Return a match of one value alone, in the network of an override."""
    return override.match.model_validate({"network": override.match.network, key: value})


def _listed(key: str, known: set[str] | set[int]) -> str:
    """Return a hint that lists the first known values of a key."""
    values = [str(value) for value in sorted(known)]
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return (
        f"`{key}` of switches: {', '.join(values[:SHOWN])}{more}"
        if values
        else (f"leave `{key}` out: no switch has one")
    )


def _unmanaged(text: OverrideText, nos: str, output: PackOutput) -> Refusal:
    """Return the refusal of a text for a file that needs `management`, or a key of it."""
    key = "management" if output.management is True else f"management.{output.management}"
    return refuse(
        "unknown-place",
        f"`overrides.{text.number}` is for `{file_name(output)}` of `{nos}`, which is not written",
        path=("overrides", text.number),
        because=(f"the file is written where the inventory has `{key}`",),
        hint=f"add `{key}`, or add the `nos` of other switches to its `match`",
    )


def _place(text: OverrideText, nos: str, packs: Packs, pack: Pack | None) -> OverridePlace:
    """Return the place of a text in the files of one NOS. Raises Refusal `unknown-place`."""
    if pack is None or not pack.open_outputs:
        raise refuse(
            "unknown-place",
            f"`overrides.{text.number}` has lines for switches that run `{nos}`",
            path=("overrides", text.number),
            because=(f"no configuration that is written for `{nos}` accepts lines",),
            hint="add the `nos` of other switches to its `match`, or give it `vars` only",
        )
    place = find_place(packs, pack, text.place)
    if place is None:
        places = [*known_places(packs, pack)]
        raise refuse(
            "unknown-place",
            f"`{text.place}` is no place in the files of `{nos}`",
            path=("overrides", text.number, "place"),
            hint=suggest(text.place, places, f"places: {', '.join(places)}"),
        )
    return place


def _check_form(text: OverrideText, nos: str, output: PackOutput) -> None:
    """Verify that a text is a fragment, or that its lines are statements. Raises Refusal."""
    form = output.overrides
    if form is None:
        return
    limited = f"if it is for another NOS, add `nos` to its `match`; `{nos}` "
    if form.format != "lines":
        try:
            parse_fragment(text.text, form.format)
        except FileError as error:
            raise bad_override(
                text.number,
                "text",
                f"`{text.origin}`: the text {error.fact}",
                f"{limited}takes a fragment of {form.format.upper()}",
            ) from None
    for line in text.text.splitlines() if form.statement else ():
        is_comment = form.comment and line.startswith(form.comment)
        if line.strip() and not is_comment and not re.match(form.statement, line):
            raise bad_override(
                text.number,
                "text",
                f"`{line.strip()}` of `{text.origin}` is no statement of `{nos}`",
                f"{limited}takes lines that begin with `{form.statement}`",
            )
