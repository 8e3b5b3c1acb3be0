"""Overrides and hooks: exactly the matched switches receive them, and nothing else changes."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.build.run import build
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_tree import read_tree
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.lifecycle.change.device_changes import device_changes
from fabricgen.outputs.lab_topologies.build import Topologies
from fabricgen.outputs.packs.merged_document import escaped
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.outputs.packs.override_checks import check_overrides
from fabricgen.outputs.packs.override_places import hook_names
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.site_lines import SiteLines
from fabricgen.outputs.packs.unread import check_unread
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from fabricgen.planning.switch_match import matches
from fabricgen.views.factory import Views
from fabricgen.views.switches import build as build_views
from tests.fabrics import build_job, plan_of, spec_of
from tests.nos.fabric import assert_is_plan, fabric
from tests.nos.model_variants import variant_plan
from tests.nos.switch_files import PACKS, ROUTING_FILES, SwitchFiles
from tests.outputs.packs.managed import LEAST
from tests.outputs.packs.test_documented_nos import SYSTEMS
from tests.outputs.packs.test_nos_packs import INVENTORY, _box, mixed

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView
    from tests.nos.documented import Documented


@cache
def _views(plan: Plan) -> list[SwitchView]:
    views = Views(plan)
    return [view for segment in range(plan.mapping.segments) for view in views.switches(segment)]


def first_view(plan: Plan, nos: str = "") -> SwitchView:
    """Return the first switch of a plan, or of those that run a NOS."""
    segments = range(plan.mapping.segments)
    views = (view for segment in segments for view in Views(plan).switches(segment, boxes=[0]))
    return next(view for view in views if nos in ("", view.nos))


def with_overrides(plan: Plan, *overrides: dict[str, Any], **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Return a plan with other overrides, which change nothing of its wiring."""
    given_keys = plan.spec.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    spec = spec_of(**given_keys | {"overrides": overrides} | keys)
    return replace(plan, fabric=replace(plan.fabric, spec=spec))


def files_of(switches: list[SwitchView], packs: Packs = PACKS) -> dict[str, dict[str, str]]:
    """Render the files of switches, by the name of the switch and of the file."""
    lines = SiteLines(packs)
    made = {}
    for switch in switches:
        pack = packs.for_nos(switch.nos)
        assert pack
        made[switch.name] = {
            output.path.rsplit("/", 1)[1]: lines.render(pack, output, switch)
            for output in pack.outputs
            if not output.management
        }
    return made


def sample_of(plan: Plan) -> list[SwitchView]:
    """Return the views of two switches of each role of each segment."""
    roles = [box.role for box in plan.naming.boxes]
    boxes = [n for n, role in enumerate(roles) if plan.installed[n] and n - roles.index(role) < 2]
    views, segments = Views(plan), range(plan.mapping.segments)
    return [view for segment in segments for view in views.switches(segment, boxes=boxes)]


@cache
def _plain() -> dict[str, dict[str, str]]:
    return files_of(sample_of(mixed()))


CRITERIA = {
    "role": ("leaf", "spine"),
    "rail": (0, 1, 2, 3),
    "plane": (0, 1),
    "name": ("r1*", "*-leaf-1", "r2p?-spine-*", "r0p0-leaf-2"),
    "nos": ("eos", "sonic", "frr"),
}
MATCHES = st.fixed_dictionaries(
    {}, optional={key: st.sampled_from(values) for key, values in CRITERIA.items()}
)


def _expected(match: dict[str, Any], view: SwitchView) -> bool:
    """Return whether a switch is matched, by its view and a regular expression."""
    name = re.escape(match.get("name", "*")).replace(r"\*", ".*").replace(r"\?", ".")
    facts = {"role": view.role, "rail": int(view.rail), "plane": view.plane, "nos": view.nos}
    return bool(re.fullmatch(name, view.name)) and all(
        facts[key] == value for key, value in match.items() if key != "name"
    )


def assert_exact(drawn: list[tuple[dict[str, Any], str]]) -> None:
    """Each file of the sample has the lines of its overrides, and otherwise its own bytes."""
    overrides = [
        {"match": match, "place": place, "text": f"line {number}"}
        for number, (match, place) in enumerate(drawn)
    ]
    sonic = [{**each, "place": f"frr.conf:{each['place']}"} for each in overrides]
    views = [
        *(view for view in sample_of(with_overrides(mixed(), *overrides)) if view.nos != "sonic"),
        *(view for view in sample_of(with_overrides(mixed(), *sonic)) if view.nos == "sonic"),
    ]
    assert {view.name for view in views} == _plain().keys()
    for view in views:
        files = files_of([view])[view.name]
        parts = {"before": "", "after": ""}
        for number, (match, place) in enumerate(drawn):
            if _expected(match, view):
                name = f"overrides.{number}"
                parts[place] += f"! begin {name}\nline {number}\n! end {name}\n"
        was = _plain()[view.name]
        main = ROUTING_FILES[view.nos]
        assert files == was | {main: parts["before"] + was[main] + parts["after"]}


@given(st.lists(st.tuples(MATCHES, st.sampled_from(["before", "after"])), min_size=1, max_size=3))
def test_exactly_the_matched_switches_are_changed(drawn: list[tuple[dict[str, Any], str]]) -> None:
    """On eos, sonic and frr at once, by every combination of criteria."""
    assert_exact(drawn)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_criterion_that_is_ignored_is_found(
    criterion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The property above fails for a comparison that leaves out one value."""

    def broken(match: Any, switch: Any) -> bool:  # noqa: ANN401 - those of `matches`
        return matches(match.model_copy(update={criterion: None}), switch)

    monkeypatch.setattr(build_views, "matches", broken)
    drawn = [({criterion: value}, "after") for value in CRITERIA[criterion]]
    with pytest.raises(AssertionError):
        assert_exact(drawn)


def test_a_section_ends_where_its_last_template_ends() -> None:
    """Lines after `bgp` follow the line that ends BGP, also where another section is nested."""
    own = {"place": "bgp", "text": "line", "match": {"nos": "eos"}}
    view = first_view(with_overrides(mixed(), own))
    text = files_of([view])[view.name][ROUTING_FILES["eos"]]
    before, _, after = text.partition("! begin overrides.0\nline\n! end overrides.0\n")
    assert before + after == _plain()[view.name][ROUTING_FILES["eos"]]
    assert "router bgp" in before
    assert after == ""
    own |= {"place": "interfaces"}
    view = first_view(with_overrides(mixed(), own))
    text = files_of([view])[view.name][ROUTING_FILES["eos"]]
    before, _, after = text.partition("! begin overrides.0\n")
    assert "\ninterface Ethernet" in before
    assert "\ninterface Ethernet" not in after


def checked(plan: Plan) -> list[str]:
    """Verify the overrides of a plan, and return the codes and facts of the findings."""
    try:
        check_overrides(plan, PACKS, [nos_packs(plan, PACKS).packs])
    except Refusal as refusal:
        return [f"{finding.code}: {finding.fact}" for finding in refusal.findings]
    return []


@cache
def _of(nos: str) -> Plan:
    """Plan a small fabric of two leaves for a NOS with documents."""
    models = {"sonic": "sn5600", "srlinux": "7220-ixr-h5-64", "nvue": "sn5600"}
    leaf = {"model": models[nos], "breakout": "2x400G"}
    return plan_of(gpus=16, hb_domain={"gpus": 2}, nos=nos, switches={"leaf": leaf})


def document(nos: str, file: str, *overrides: dict[str, Any]) -> Any:  # noqa: ANN401 - any document
    """Return a document of the first switch, parsed."""
    plan = with_overrides(_of(nos), *overrides)
    assert checked(plan) == []
    view = first_view(plan)
    text = files_of([view])[view.name][file]
    return json.loads(text) if file.endswith(".json") else read_tree(text, file)[0]


def test_json_is_merged() -> None:
    """`after` replaces, `before` adds what is missing, and a pointer selects a key."""
    file = "config_db.json"
    was = document("sonic", file)
    name = was["DEVICE_METADATA"]["localhost"]["hostname"]
    text = '{"NTP_SERVER": {"192.0.2.1": {}}, "DEVICE_METADATA": {"localhost": {"hostname": "x"}}}'
    added = was | {"NTP_SERVER": {"192.0.2.1": {}}}
    assert document("sonic", file, {"place": "before", "text": text}) == added
    found = document("sonic", file, {"text": text})
    assert found["DEVICE_METADATA"]["localhost"].pop("hostname") == "x"
    found["DEVICE_METADATA"]["localhost"]["hostname"] = name
    assert found == added
    below = {"place": "/FEATURE/lldp", "text": '{"state": null, "auto_restart": "enabled"}'}
    assert document("sonic", file, below)["FEATURE"] == {"lldp": {"auto_restart": "enabled"}}
    created = {"place": "/A/b~1c", "text": '{"d": 1}'}
    assert document("sonic", file, created) == was | {"A": {"b/c": {"d": 1}}}


def test_entries_of_a_list_are_merged_by_their_key() -> None:
    """An interface that the document has receives the leaf, and another is added."""
    was = document("srlinux", "config.json")
    key = next(key for key in was if key.endswith(":interface") or key == "interface")
    first = was[key][0]["name"]
    text = json.dumps({key: [{"name": first, "loopback-mode": "x"}, {"name": "mgmt0"}]})
    found = document("srlinux", "config.json", {"text": text})
    assert found[key][0] == was[key][0] | {"loopback-mode": "x"}
    assert found[key][-1] == {"name": "mgmt0"}
    assert len(found[key]) == len(was[key]) + 1
    pointed = {"place": f"/{key}/{escaped(first)}", "text": '{"loopback-mode": "x"}'}
    assert document("srlinux", "config.json", pointed)[key][0] == found[key][0]


def test_yaml_is_merged_below_its_statements() -> None:
    """`startup.yaml` keeps its header and the types of its values."""
    was = document("nvue", "startup.yaml")
    own = {"place": "startup.yaml:after", "text": "system: {message: {pre-login: site}}"}
    found = document("nvue", "startup.yaml", own)
    assert found[1]["set"]["system"].pop("message") == {"pre-login": "site"}
    assert found == was


@pytest.mark.parametrize(
    ("nos", "own", "fact"),
    [
        ("sonic", {"text": "{"}, "bad-override: `overrides.0`: the text is not JSON"),
        (
            "sonic",
            {"text": '{"a":' * 30 + "1" + "}" * 30},
            "bad-override: `overrides.0`: the text is",
        ),
        ("sonic", {"place": "bgp", "text": "{}"}, "unknown-place: `bgp` is no place"),
        ("sonic", {"place": "frr.conf:bpg", "text": ""}, "unknown-place: `frr.conf:bpg` is no"),
        ("sonic", {"place": "port.conf:after", "text": ""}, "unknown-place"),
        ("nvue", {"text": "net add bgp"}, "bad-override: `net add bgp` of `overrides.0` is no"),
        ("nvue", {"place": "startup.yaml:after", "text": "a: [b"}, "bad-override: `overrides.0`"),
        ("sonic", {"text": '{"a": "\x1b"}'}, "bad-override: `overrides.0.text` has control"),
        ("sonic", {"match": {"rail": 9}, "text": "{}"}, "unmatched-override: `overrides.0`"),
    ],
)
def test_what_the_reader_would_reject_is_refused(nos: str, own: dict[str, Any], fact: str) -> None:
    """Before a build: bad syntax, unknown places, and control characters."""
    (found,) = checked(with_overrides(_of(nos), own))
    assert found.startswith(fact)


@pytest.mark.parametrize(
    "text", ['{"PORT": []}', '{"DEVICE_METADATA": 1}', "[]", '{"FEATURE": {"lldp": "up"}}']
)
def test_a_fragment_of_another_kind_is_refused(text: str) -> None:
    """A mapping is not replaced by a list or a value."""
    with pytest.raises(Refusal, match=r"cannot be merged into config_db\.json"):
        document("sonic", "config_db.json", {"text": text})


@pytest.mark.parametrize(
    ("system", "good", "bad"),
    [
        (SYSTEMS[0], "nv set system hostname site", "nv set system hostnam site"),
        (SYSTEMS[2], "set system host-name site", "set interfaces et-9/9/9 mtu 9000"),
        (SYSTEMS[3], "hostname site", "hostnam site"),
    ],
    ids=lambda system: getattr(system, "nos", ""),
)
def test_lines_are_read_by_the_grammar_of_their_system(
    system: Documented, good: str, bad: str
) -> None:
    """A documented statement is accepted with its marks, and a misspelt one is found."""
    one = system.switches("one tier")[0]
    pack = PACKS.for_nos(system.nos)
    assert pack
    plan = _documented(system.nos)
    for line, is_good in ((good, True), (bad, False)):
        switch = first_view(with_overrides(plan, {"text": line}))
        text = SiteLines(PACKS).render(pack, pack.outputs[0], switch)
        assert (system.findings(one, text) == []) is is_good


@cache
def _documented(nos: str) -> Plan:
    return variant_plan("one tier", nos)


def test_the_files_still_are_the_plan() -> None:
    """Read back by the reader of each NOS, files with overrides equal the plan."""
    own = {"match": {"nos": "frr"}, "place": "interfaces", "text": "ip prefix-list SITE permit any"}
    eos = {"match": {"nos": "eos"}, "text": "ntp server 192.0.2.1"}
    sonic = {"match": {"nos": "sonic"}, "text": '{"NTP_SERVER": {"192.0.2.1": {}}}'}
    plan = with_overrides(mixed(), own, eos, sonic)
    files = files_of(_views(plan))
    boxes = [_box(SwitchFiles(view, files[view.name])) for view in _views(plan)]
    assert_is_plan(fabric(boxes), mixed())


def test_values_reach_templates_and_stay_values(tmp_path: Path) -> None:
    """Later and narrower values take precedence; text is not evaluated, attributes are refused."""
    values = {"a": "{{ 7 * 7 }}", "b": {"c": [1, None]}, "items": "shadowed"}
    plan = plan_of(
        **INVENTORY,
        nos="eos",
        vars=values,
        overrides=[
            {"match": {"role": "spine"}, "vars": {"a": "spine"}},
            {"match": {"name": "r0p0-spine-1"}, "vars": {"a": "one"}},
        ],
    )
    found = {view.name: view.vars for view in _views(plan)}
    assert found["r0p0-leaf-1"] == values
    assert found["r1p0-spine-1"] == values | {"a": "spine"}
    assert found["r0p0-spine-1"] == values | {"a": "one"}
    leaf = _views(plan)[0]
    (tmp_path / "eos").mkdir()
    hook = tmp_path / "eos" / "site.after.j2"

    def rendered(text: str) -> str:
        hook.write_text(text, encoding="utf-8")
        packs = Packs([tmp_path])
        pack = packs.for_nos("eos")
        assert pack
        return SiteLines(packs).render(pack, pack.outputs[0], leaf)

    was = _plain()[leaf.name][ROUTING_FILES["eos"]]
    assert rendered("{{ switch.vars.a }} {{ switch.vars.b.c[0] }}\n") == f"{was}{{{{ 7 * 7 }}}} 1\n"
    assert rendered("{# nothing #}\n") == was
    for attack in ("__class__", "b.c.append(1)", "b.clear()", "a.__len__", "unknown"):
        with pytest.raises(Refusal, match="bad-template"):
            rendered(f"{{{{ switch.vars.{attack} }}}}")


def test_hooks_surround_the_packs_lines_and_overrides_surround_hooks(tmp_path: Path) -> None:
    """A user's own `site.before.j2` and `site.after.j2`, in lines and in a document."""
    for nos, text in (("eos", "{place}\n"), ("sonic", '{{"SITE": {{"place": "{place}"}}}}')):
        (tmp_path / nos).mkdir()
        for place in ("before", "after"):
            file = tmp_path / nos / f"site.{place}.j2"
            file.write_text(text.format(place=place), encoding="utf-8")
    packs = Packs([tmp_path])
    plan = with_overrides(
        mixed(),
        {"match": {"nos": "eos"}, "place": "before", "text": "first"},
        {"match": {"nos": "eos"}, "text": "last"},
    )
    eos = first_view(plan, "eos")
    text = files_of([eos], packs)[eos.name][ROUTING_FILES["eos"]]
    was = _plain()[eos.name][ROUTING_FILES["eos"]]
    marks = [f"! {{}} overrides.{number}\n" for number in (0, 1)]
    first, last = (
        f"{mark.format('begin')}{line}\n{mark.format('end')}"
        for mark, line in zip(marks, ("first", "last"), strict=True)
    )
    assert text == f"{first}before\n{was}after\n{last}"
    sonic = first_view(plan, "sonic")
    found = json.loads(files_of([sonic], packs)[sonic.name]["config_db.json"])
    assert found.pop("SITE") == {"place": "after"}
    assert found == json.loads(_plain()[sonic.name]["config_db.json"])


def test_every_file_of_a_pack_has_hooks(tmp_path: Path) -> None:
    """Those of other files than the main one have their names; a script has none."""
    (tmp_path / "frr").mkdir()
    plan = plan_of(gpus=8, hb_domain={"gpus": 4}, radix=16, nos="frr", management=LEAST)
    view, plain = first_view(plan, "frr"), Packs()
    pack = plain.for_nos("frr")
    assert pack
    for output in pack.open_outputs[1:]:
        name = output.path.rpartition("/")[2]
        (tmp_path / "frr" / f"site.after.{name}.j2").write_text("# {{ switch.name }}\n", "utf-8")
    packs = Packs([tmp_path])
    check_unread(packs)
    lines, hooked = SiteLines(packs), 0
    for output in pack.outputs:
        if output.is_written(view.management):
            was = SiteLines(plain).render(pack, output, view)
            added = "# r0-leaf-1\n" if output in pack.open_outputs[1:] else ""
            hooked += bool(added)
            assert lines.render(pack, output, view) == was + added, output.path
    assert hooked > 8
    (tmp_path / "frr" / "site.after.users.sh.j2").write_text("# lost\n", "utf-8")
    with pytest.raises(Refusal, match=r"no pack reads `frr/site\.after\.users\.sh\.j2`"):
        check_unread(packs)


def test_only_files_of_the_inventorys_directory_are_read(tmp_path: Path) -> None:
    """Not one above it, an absolute one, or one that a link leads to; a pipe is no file."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (home / "link").symlink_to(tmp_path / "secret")
    (home / "folder").symlink_to(tmp_path)
    (home / "fine").write_text("fine\r\n", encoding="utf-8")
    os.mkfifo(home / "pipe")
    catalog = Catalog(base=home)

    def facts(name: str) -> list[str]:
        plan = plan_of(catalog, **INVENTORY, nos="eos", overrides=[{"file": name}])
        return checked(plan)

    assert facts("fine") == []
    for name in ("link", "folder/secret"):
        (found,) = facts(name)
        assert found.startswith(f"bad-override: `{name}` leads out of the inventory's directory")
    (found,) = facts("pipe")
    assert "it is a pipe" in found
    for name in ("../secret", "/etc/shadow", "a/../../secret", "~/x"):
        with pytest.raises(ValueError, match="pattern"):
            spec_of(**INVENTORY, overrides=[{"file": name}])


def test_an_override_has_one_text_or_values() -> None:
    """Two texts, none, and a value that JSON has no word for are refused."""
    for own in ({}, {"text": "a", "file": "b"}, {"vars": {"a": float("inf")}}, {"vars": {"A": 1}}):
        with pytest.raises(ValueError, match="overrides"):
            spec_of(**INVENTORY, overrides=[own])


def test_a_build_lists_the_overrides_of_each_switch(tmp_path: Path) -> None:
    """`overrides.csv` is the mark of a document; without overrides there is none."""
    plan = plan_of(
        **INVENTORY,
        nos={"leaf": "eos", "rails": {"1": "sonic", "2": "frr"}},
        overrides=[
            {"match": {"nos": "sonic", "name": "r1p0-leaf-1"}, "text": '{"A": {}}'},
            {
                "match": {"nos": "sonic", "name": "r1p0-leaf-1"},
                "place": "frr.conf:bgp",
                "text": "!",
            },
        ],
    )
    build(build_job(plan, Packs(), ("configs",)), tmp_path / "out")
    assert (tmp_path / "out/configs/overrides.csv").read_text(encoding="utf-8").splitlines() == [
        "switch,file,place,override",
        "r1p0-leaf-1,configs/r1p0-leaf-1/config_db.json,after,overrides.0",
        "r1p0-leaf-1,configs/r1p0-leaf-1/frr/frr.conf,bgp,overrides.1",
    ]
    paths = set(build_job(mixed(), Packs(), ("configs",)).paths())
    assert paths == {*build_job(plan, Packs(), ("configs",)).paths()} - {"configs/overrides.csv"}


def test_a_saved_plan_has_the_texts_of_files(tmp_path: Path) -> None:
    """It is built without the file, to the same bytes."""
    (tmp_path / "own.cfg").write_text("line\n", encoding="utf-8")
    keys = spec_of(**INVENTORY, nos="eos", overrides=[{"file": "own.cfg", "place": "bgp"}])
    plan = make_plan(keys, Catalog(base=tmp_path))
    (entry,) = plan_document(plan, {})["inventory"]["overrides"]
    assert entry == {"match": {}, "place": "bgp", "text": "line\n", "vars": {}}
    again = plan_of(**INVENTORY, nos="eos", overrides=[entry])
    assert files_of([first_view(again)]) == files_of([first_view(plan)])


def test_a_template_that_writes_no_document_is_named(tmp_path: Path) -> None:
    """A fragment cannot be merged into it."""
    (tmp_path / "sonic").mkdir()
    (tmp_path / "sonic" / "config_db.json.j2").write_text("{", encoding="utf-8")
    view = first_view(with_overrides(_of("sonic"), {"text": "{}"}))
    with pytest.raises(Refusal, match="bad-template: config_db"):
        files_of([view], Packs([tmp_path]))


def test_a_file_without_a_last_line_end_gets_one(tmp_path: Path) -> None:
    """Added lines begin a line of their own."""
    (tmp_path / "frr").mkdir()
    (tmp_path / "frr" / "frr.conf.j2").write_text("last", encoding="utf-8")
    view = first_view(with_overrides(mixed(), {"match": {"nos": "frr"}, "text": "own"}), "frr")
    text = files_of([view], Packs([tmp_path]))[view.name]["frr.conf"]
    assert text == "last\n! begin overrides.0\nown\n! end overrides.0\n"


def test_a_lab_in_containers_mounts_the_same_files() -> None:
    """The contents of a container's files have the overrides of its switch."""
    plan = plan_of(
        gpus=16,
        hb_domain={"gpus": 4},
        radix=8,
        nos="frr",
        overrides=[{"match": {"name": "r0-leaf-1"}, "text": "own"}],
    )
    packs = nos_packs(plan, PACKS).packs
    texts = {
        node.name: next(file.text for file in node.files if file.key == "frr.conf")
        for node in Topologies(Views(plan), PACKS, packs).filled()
        if node.labels["role"] == "leaf"
    }
    assert [name for name, text in texts.items() if "\nown\n" in text] == ["r0-leaf-1"]


def test_every_pack_of_a_nos_has_places_and_empty_hooks() -> None:
    """What ships writes nothing, so that a fabric without own lines has the bytes of the pack."""
    own = [pack for name in PACKS.names() if (pack := PACKS.pack(name)) and pack.nos]
    assert len(own) >= 8
    for pack in own:
        assert pack.open_outputs
        for name in hook_names(pack, pack.open_outputs[0]).values():
            assert PACKS.render(pack.name, name) == ""


def test_an_unknown_place_lists_the_places() -> None:
    """Those of the main file, then those of other files with their names."""
    with pytest.raises(Refusal) as caught:
        check_overrides(
            with_overrides(_of("sonic"), {"place": "x", "text": ""}),
            PACKS,
            [nos_packs(_of("sonic"), PACKS).packs],
        )
    hint = caught.value.findings[0].hint
    assert hint.startswith("places: before, after, /KEY, frr.conf:before, frr.conf:after, frr.conf")
    assert "frr.conf:bgp" in hint


def test_a_text_is_verified_where_no_configurations_are_asked_for() -> None:
    """As a build of them would, except for a NOS that no pack writes."""
    own = {"text": "line"}
    with pytest.raises(Refusal) as caught:
        check_overrides(with_overrides(_of("sonic"), own), PACKS, None)
    assert caught.value.findings[0].code == "bad-override"
    leaf = {"model": "ds5000", "breakout": "2x400G"}
    plan = plan_of(gpus=16, hb_domain={"gpus": 2}, nos="hedgehog", switches={"leaf": leaf})
    assert PACKS.for_nos("hedgehog") is None
    check_overrides(with_overrides(plan, own), PACKS, None)


def test_a_switch_without_configurations_accepts_values_only() -> None:
    """InfiniBand switches have no files of their own."""
    keys: dict[str, Any] = {
        "gpus": 16,
        "hb_domain": {"gpus": 8},
        "switches": {"leaf": {"model": "qm9700"}},
    }
    assert checked(plan_of(**keys, overrides=[{"vars": {"a": 1}}])) == []
    (found,) = checked(plan_of(**keys, overrides=[{"text": "a"}]))
    assert found.startswith("unknown-place: `overrides.0` has lines for switches that run")


def test_a_file_of_management_accepts_lines_with_management() -> None:
    """Without it the file is not written, so the lines would be lost."""
    frr: dict[str, Any] = {"gpus": 16, "hb_domain": {"gpus": 4}, "radix": 8, "nos": "frr"}
    own = [{"place": "snmpd.conf:after", "text": "a"}]
    (found,) = checked(plan_of(**frr, overrides=own))
    assert found == (
        "unknown-place: `overrides.0` is for `snmpd.conf` of `frr`, which is not written"
    )
    management = {
        "pool": "10.90.0.0/24",
        "ntp": ["10.90.0.10"],
        "users": [{"name": "ops", "key": KEY_EXAMPLE}],
    }
    assert checked(plan_of(**frr, overrides=own, management=management)) == []


def test_a_changed_text_is_a_change_of_its_switches() -> None:
    """`diff` lists the switches whose files differ."""
    old, new = (
        with_overrides(mixed(), {"match": {"name": "r0p0-leaf-*"}, "text": text})
        for text in ("old\nline", "new\nline")
    )
    changed = {device.name: device.changes for device in device_changes(old, new)}
    assert set(changed) == {view.name for view in _views(mixed()) if view.name[:9] == "r0p0-leaf"}
    assert {change for changes in changed.values() for change in changes} == {
        ("text", "overrides.0", "old; line", "new; line")
    }
