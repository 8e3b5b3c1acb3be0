"""`catalog import`: imported facts, assumptions, and planning with the written file.

The descriptions have the form of the projects that they are named for, with facts of switches that
do not exist.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.importers.detect import read_description
from fabricgen.catalog.importers.model_draft import draft_model
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_text import write_yaml
from tests.catalog.test_platforms import MODELS, _folder, _switch

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.catalog.models.switch import Switch
    from tests.conftest import Run

DEVICE_TYPE: dict[str, Any] = {
    "manufacturer": "Acme",
    "model": "Box 64",
    "slug": "acme-box-64",
    "part_number": "AB-64",
    "u_height": 2.0,
    "weight": 44,
    "weight_unit": "lb",
    "interfaces": [
        {"name": "eth0", "type": "1000base-t", "mgmt_only": True},
        *({"name": f"swp{at}", "type": "800gbase-x-osfp"} for at in range(64, 0, -1)),
    ],
}
PROFILE: dict[str, Any] = {
    "apiVersion": "wiring.githedgehog.com/v1beta1",
    "kind": "SwitchProfile",
    "metadata": {"name": "acme-box"},
    "spec": {
        "displayName": "Acme Box",
        "switchSilicon": "acme-1",
        "maxPorts": 40,
        "pipelines": {"1": {"maxPorts": 10}},
        "ports": {
            "M1": {"nos": "Management0", "management": True},
            "E1/17": {"nos": "Ethernet128", "label": "17", "profile": "SFP28-25G"},
            **{
                f"E1/{at}": {
                    "nos": f"1/{at}",
                    "baseNOSName": f"Ethernet{at * 8 - 8}",
                    "label": str(at),
                    "profile": "OSFP-800G",
                }
                for at in range(1, 17)
            },
        },
        "portProfiles": {
            "SFP28-25G": {"speed": {"default": "25G", "supported": ["25G"]}},
            "OSFP-800G": {
                "breakout": {
                    "default": "1x800G",
                    "supported": {
                        "4x200G": {"offsets": ["0", "2", "4", "6"]},
                        "1x800G": {"offsets": ["0"]},
                        "2x400G": {"offsets": ["0", "4"]},
                    },
                }
            },
        },
    },
}


def platform(cages: int = 32, lanes: int = 8) -> dict[str, Any]:
    """Write a platform.json of a switch.

    It has one service port, and its last cage cannot be split.
    """
    split = {"1x800G[400G]": 1, "2x400G": 2, "4x100G(4)+1x400G(4)": 5}
    letters = "abcdefgh"
    interfaces: dict[str, Any] = {}
    for cage in range(1, cages + 1):
        modes = {
            text: [f"etp{cage}{letters[sub] if count > 1 else ''}" for sub in range(count)]
            for text, count in split.items()
            if cage < cages or count == 1
        }
        first = (cage - 1) * lanes
        own = ",".join(map(str, range(first, first + lanes)))
        interfaces[f"Ethernet{first}"] = {
            "index": ",".join([str(cage)] * lanes),
            "lanes": own,
            "breakout_modes": modes,
        }
    interfaces["Ethernet900"] = {
        "index": str(cages + 1),
        "lanes": "900",
        "breakout_modes": {"1x25G": [f"etp{cages + 1}"]},
    }
    return {"chassis": {"name": "BOX-32"}, "interfaces": interfaces}


def imported(
    folder: Path,
    name: str,
    facts: dict[str, Any],
    nos: str = "frr",
    **stated: Any,  # noqa: ANN401 - facts of a switch
) -> tuple[Switch, tuple[str, ...]]:
    """Write a description, import it, and read the file back as the catalog does.

    Return the missing facts too.
    """
    source = folder / name
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(
        json.dumps(facts) if name.endswith(".json") else write_yaml(facts), encoding="utf-8"
    )
    draft = draft_model(source, read_description(source, nos), stated)
    target = folder / "own" / "switches" / f"{draft.model}.yaml"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(draft.text, encoding="utf-8")
    found = Catalog([folder / "own"]).switch(draft.model)
    assert found
    return found, draft.needed


def refusal(folder: Path, name: str, facts: dict[str, Any], **stated: Any) -> str:  # noqa: ANN401 - facts of a switch
    """Return the text with which a description is refused."""
    with pytest.raises(Refusal) as refused:
        imported(folder, name, facts, **stated)
    assert {finding.code for finding in refused.value.findings} == {"bad-switch-description"}
    return " ".join(
        f"{finding.fact} {' '.join(finding.because)}" for finding in refused.value.findings
    )


def test_a_device_type(tmp_path: Path) -> None:
    """Maker, ports, size and weight are its facts. Splits, power and the lanes of names are not."""
    box, needed = imported(tmp_path, "box.yaml", DEVICE_TYPE, "cumulus")
    assert (
        box.model,
        box.vendor,
        box.part_number,
        box.cages,
        box.form_factor,
        box.lanes_per_cage,
    ) == ("box-64", "Acme", "AB-64", 64, "osfp", 8)
    assert (box.rack_units, box.weight_kg, box.default_nos, box.interfaces["cumulus"].whole) == (
        2,
        19.96,
        "cumulus",
        "swp{cage}",
    )
    assert [(mode.name, mode.lanes) for mode in box.breakouts] == [("1x800G", 8)]
    assert set(box.unverified) == {"cooling", "interfaces.cumulus"}
    assert (box.typical_w, box.nos) == (None, {})
    assert [sentence.split(":")[0] for sentence in needed] == [
        "cooling",
        "interfaces.cumulus",
        "breakouts",
        "typical_w",
        "maximum_w",
        "nos",
    ]
    assert box.source == ("box.yaml, a NetBox device type (maker, ports, size, weight)",)


@pytest.mark.parametrize(
    ("kind", "names", "found"),
    [
        (
            "400gbase-x-qsfp112",
            [f"Ethernet{at}/1" for at in range(1, 5)],
            ("ethernet", "qsfp112", 4, 400, "Ethernet{cage}/1"),
        ),
        (
            "400gbase-x-qsfpdd",
            [f"et-0/0/{at}" for at in range(4)],
            ("ethernet", "qsfp-dd", 8, 400, "et-0/0/{cage0}"),
        ),
        (
            "1.6tbase-x-osfp1600",
            [f"port {at}" for at in range(1, 5)],
            ("ethernet", "osfp", 8, 1600, "port {cage}"),
        ),
        (
            "infiniband-ndr",
            [f"1/{at}" for at in range(1, 5)],
            ("infiniband", "generic", 4, 400, "1/{cage}"),
        ),
    ],
)
def test_types_and_names_of_ports(
    kind: str, names: list[str], found: tuple[object, ...], tmp_path: Path
) -> None:
    """Form, lanes and speed follow from the type, the pattern from the names."""
    box, _ = imported(
        tmp_path,
        "box.yaml",
        DEVICE_TYPE | {"interfaces": [{"name": name, "type": kind} for name in names]},
    )
    assert (
        box.transport,
        box.form_factor,
        box.lanes_per_cage,
        box.breakouts[0].speed_gbps,
        box.interfaces["frr"].whole,
    ) == found


def test_a_box_of_several_types_of_ports(tmp_path: Path) -> None:
    """Sockets and cages with one numbering are groups; the management port is none of them."""
    kinds = {48: "1000base-t", 52: "25gbase-x-sfp28", 54: "100gbase-x-qsfp28"}
    ports = [
        {"name": f"swp{at}", "type": next(kind for last, kind in kinds.items() if at <= last)}
        for at in range(1, 55)
    ]
    every = [{"name": "eth0", "type": "1000base-t"}, *ports]
    box, _ = imported(tmp_path, "box.yaml", DEVICE_TYPE | {"interfaces": every}, "cumulus")
    assert (box.cages, box.form_factor, box.lanes_per_cage) == (54, "rj45", 1)
    assert [
        (group.first, group.last, group.breakouts, group.form_factor, group.lanes_per_cage)
        for group in box.cage_groups
    ] == [
        (1, 48, ("1x1G",), "rj45", 1),
        (49, 52, ("1x25G",), "sfp28", 1),
        (53, 54, ("1x100G",), "qsfp28", 4),
    ]
    assert box.interface("cumulus", 54, 0, box.breakouts[2]) == "swp54"
    gap = [port for port in every if port["name"] != "swp50"]
    box, _ = imported(tmp_path, "gap.yaml", DEVICE_TYPE | {"interfaces": gap}, "cumulus")
    assert (box.cages, box.cage_groups) == (48, ())


def test_a_list_of_ports_with_a_gap_is_refused(tmp_path: Path) -> None:
    """A library file that lacks a port would shift every later name."""
    ports = [port for port in DEVICE_TYPE["interfaces"] if port["name"] != "swp22"]
    assert "swp1, swp2, swp3, ..., swp64" in refusal(
        tmp_path, "box.yaml", DEVICE_TYPE | {"interfaces": ports}
    )
    assert "no" in refusal(
        tmp_path, "box.yaml", DEVICE_TYPE | {"interfaces": [{"name": "ge0", "type": "virtual"}]}
    )


def test_a_platform_file(tmp_path: Path) -> None:
    """Lanes, modes with their verbatim texts, aliases, a cage with fewer modes.

    The service port is left out, and the platform is named after its folder.
    """
    box, needed = imported(tmp_path, "x86_64-acme_box-r0/platform.json", platform())
    assert (box.model, box.cages, box.lanes_per_cage, box.default_nos, box.transport) == (
        "box-32",
        32,
        8,
        "sonic",
        "ethernet",
    )
    assert [(mode.name, mode.lanes) for mode in box.breakouts] == [("1x800G", 8), ("2x400G", 4)]
    assert [(limit.first, limit.last, limit.breakouts) for limit in box.cage_groups] == [
        (32, 32, ("1x800G",))
    ]
    sonic: dict[str, Any] = dict(box.nos["sonic"])
    assert sonic["lanes"].per_lane[1] == tuple(range(8, 16))
    assert sonic | {"lanes": ...} == {
        "platform": "x86_64-acme_box-r0",
        "mode": {"1x800G": "1x800G[400G]", "2x400G": "2x400G"},
        "lanes": ...,
        "mixed_modes": ("4x100G(4)+1x400G(4)",),
    }
    assert box.alias("sonic", 3, 1, box.breakouts[1]) == "etp3b"
    assert set(box.unverified) == {"vendor", "form_factor", "cooling"}
    assert needed[0] == "vendor: not in the file; `unknown` is assumed"


def test_a_profile(tmp_path: Path) -> None:
    """Ports that can be split, their splits in order, port names, the limit of the switch."""
    box, _ = imported(tmp_path, "profile.yaml", PROFILE)
    assert (
        box.model,
        box.asic,
        box.cages,
        box.lanes_per_cage,
        box.port_limit,
        box.form_factor,
    ) == ("acme-box", "acme-1", 16, 8, 40, "osfp")
    assert [(mode.name, mode.lanes) for mode in box.breakouts] == [
        ("1x800G", 8),
        ("2x400G", 4),
        ("4x200G", 2),
    ]
    assert [box.interface(nos, 2, 1, box.breakouts[1]) for nos in ("hedgehog", "sonic")] == [
        "E1/2/2",
        "Ethernet12",
    ]
    assert len(box.notes) == 2


def test_stated_facts_override(tmp_path: Path) -> None:
    """A stated fact is in the file with its source. An unknown one is refused."""
    box, needed = imported(
        tmp_path,
        "profile.yaml",
        PROFILE,
        vendor="Acme",
        cooling="liquid",
        model="own-box",
        typical_w=900,
    )
    assert (box.vendor, box.cooling, box.model, box.typical_w, box.unverified) == (
        "Acme",
        "liquid",
        "own-box",
        900,
        (),
    )
    assert box.source[-1] == "stated at import: cooling, model, typical_w, vendor"
    assert not any(sentence.startswith(("vendor", "cooling", "typical_w")) for sentence in needed)
    assert "`colour` is not a fact of a switch" in refusal(
        tmp_path, "profile.yaml", PROFILE, colour="grey"
    )
    assert "default_nos" in refusal(tmp_path, "profile.yaml", PROFILE, default_nos="junos")


@pytest.mark.parametrize(
    "facts",
    [
        {"chassis": {}, "interfaces": {"Ethernet0": {}}},
        {"kind": "SwitchProfile"},
        {"a": 1},
        platform() | {"interfaces": {}},
    ],
)
def test_a_file_that_describes_no_switch_is_refused(facts: dict[str, Any], tmp_path: Path) -> None:
    """Any contents are refused with a finding."""
    assert refusal(tmp_path, "x.platform.json", facts)


def test_import_and_plan(tmp_path: Path, run_here: Run) -> None:
    """The written file is planned like any other.

    Its name is printed without a directory, and it is never overwritten.
    """
    (tmp_path / "p.platform.json").write_text(json.dumps(platform()), encoding="utf-8")
    printed = run_here("catalog", "import", "p.platform.json", cwd=tmp_path)
    assert "# still needed: nos.sonic.default_hwsku: " in printed.stdout
    (tmp_path / "default_sku").write_text("Acme-Box-32 t1\n", encoding="utf-8")
    done = run_here(
        "catalog",
        "import",
        "p.platform.json",
        "-o",
        "own",
        "--set",
        "vendor=Acme",
        "--set",
        "form_factor=osfp",
        cwd=tmp_path,
    )
    assert (printed.returncode, done.returncode) == (0, 0), printed.stderr + done.stderr
    assert printed.stdout.startswith("# still needed: vendor: ")
    assert "still needed: cooling: not in the file; `air` is assumed" in done.stderr
    (tmp_path / "f.yaml").write_text(
        "{name: f, gpus: 64, hb_domain: {gpus: 8}, nic: {speed: 400G}, switches: {leaf: "
        "{model: box-32, breakout: 2x400G}}}"
    )
    planned = run_here("plan", "f.yaml", "--catalog", "own", "--json", cwd=tmp_path)
    assert json.loads(planned.stdout)["switches"]["leaf"] == 8, planned.stderr
    written = (tmp_path / "own" / "switches" / "box-32.yaml").read_bytes()
    assert (
        run_here("catalog", "import", "p.platform.json", "-o", "own", cwd=tmp_path).returncode == 2
    )
    assert (tmp_path / "own" / "switches" / "box-32.yaml").read_bytes() == written


@pytest.mark.parametrize("model", MODELS)
def test_real_platform_files_match_the_catalog(model: str, tmp_path: Path, oracles: Path) -> None:
    """The import finds the facts that the catalog has from each file.

    It reads the first speed of a mode; the catalog may have a slower one of its brackets as well.
    """
    ours = _switch(model)
    source = _folder(oracles) / f"{ours.nos['sonic']['platform']}.platform.json"
    draft = draft_model(source, read_description(source, "frr"), {"model": "x"})
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / "x.yaml").write_text(draft.text, encoding="utf-8")
    theirs = Catalog([tmp_path]).switch("x")
    assert theirs
    assert (theirs.cages, theirs.lanes_per_cage, theirs.cage_groups, theirs.transport) == (
        ours.cages,
        ours.lanes_per_cage,
        ours.cage_groups,
        ours.transport,
    )
    read, own_facts = theirs.nos["sonic"], dict(ours.nos["sonic"])
    first, listed = read["mode"], own_facts["mode"]
    assert isinstance(first, dict)
    assert isinstance(listed, dict)
    assert {*listed.values()} == {*first.values()}
    own_facts["mode"] = {name: mode for name, mode in listed.items() if name in first}
    modes = {mode.name: mode for mode in ours.breakouts if mode.name in first}
    assert {mode.name: mode for mode in theirs.breakouts} == modes
    kept = {"platform", "lanes", "mode", *(read.keys() & {"mixed_modes"})}
    assert read.keys() == kept
    assert {name: own_facts[name] for name in kept} == read
    for mode in modes.values():
        for cage, sub in ((1, 0), (ours.cages, mode.count - 1)):
            own = theirs.breakout(mode.name)
            assert own
            assert theirs.interface("sonic", cage, sub, own) == ours.interface(
                "sonic", cage, sub, mode
            )
            assert theirs.alias("sonic", cage, sub, own) == ours.alias("sonic", cage, sub, mode)
