"""A pack under another name writes the files of the original, with all that its pack.yaml names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from fabricgen.build.run import build
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import program
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.resources import shipped
from fabricgen.outputs.packs.pack_copies import renamed_files, switch_text
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.unread import check_unread
from tests.fabrics import build_job, plan_of
from tests.outputs.packs.managed import LEAST, LEAVES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fabrics import Inventory

GROUPS = ("configs", "provision", "push", "lab")
SWITCHES = LEAVES | {
    "nvos": {"model": "q3400", "breakout": "2x800G"},
    "mlnxos": {"model": "qm9700"},
}
"""A leaf that runs each NOS."""


def inventory(nos: str, called: str) -> Inventory:
    """Return a fabric whose switches run a NOS by a name, with images where these are installed."""
    zero = (pack := Packs().pack(nos)) and pack.zero_touch
    image = {"nos": called, "file": "image.bin", "version": "1.2.3", "sha256": "0" * 64}
    images = [image] if zero and not zero.no_image else []
    return {
        "gpus": 8,
        "hb_domain": {"gpus": 4},
        "nos": called,
        "nic": {"speed": "800G" if nos == "nvos" else "400G"},
        "switches": {"leaf": SWITCHES[nos]},
        "addressing": {"mtu": 9000},
        "management": LEAST | {"api": ["gnmi", "http", "netconf"], "images": images},
    }


def files(out: Path, nos: str) -> dict[str, str]:
    """Return the files of a build, with one word for both names of the NOS."""

    def alike(text: str) -> str:
        return text.replace(nos, "NOS").replace("ours", "NOS")

    paths = (path for path in out.rglob("*") if path.is_file() and path.parent != out)
    return {
        alike(path.relative_to(out).as_posix()): alike(path.read_text("utf-8")) for path in paths
    }


@pytest.mark.parametrize("nos", sorted(SWITCHES))
def test_a_renamed_pack_writes_the_same_files(nos: str, tmp_path: Path) -> None:
    """Configurations, the first boot, playbooks and the lab are those of the shipped pack."""
    path = shipped("inventories") / "catalog" / "switches" / f"{SWITCHES[nos]['model']}.yaml"
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / path.name).write_text(switch_text(path, nos, "ours") or "", "utf-8")
    shown = Packs().pack(nos)
    assert shown
    (tmp_path / "ours").mkdir()
    for name, text in renamed_files(Packs(), shown, "ours").items():
        (tmp_path / "ours" / name).write_text(text, "utf-8")
    own, catalog = Packs([tmp_path]), Catalog([tmp_path])
    check_unread(own)
    build(build_job(plan_of(**inventory(nos, nos)), Packs(), GROUPS), tmp_path / "theirs-out")
    build(build_job(plan_of(catalog, **inventory(nos, "ours")), own, GROUPS), tmp_path / "ours-out")
    theirs, found = files(tmp_path / "theirs-out", nos), files(tmp_path / "ours-out", nos)
    assert found == theirs
    assert len(theirs) > len(GROUPS)


def test_init_copies_a_pack_and_a_switch_that_runs_it(tmp_path: Path) -> None:
    """The copy builds without an edit; names that are taken or unknown are refused."""
    run, mine = CliRunner().invoke, str(tmp_path / "mine")
    copied = ["init", "--pack", "eos", "--as", "comware", "--leaf", "7060x6-64pe", mine]
    assert run(program, copied).exit_code == 0
    built = ["build", "--gpus", "16", "--hb-domain", "4", "--only", "configs", "-o"]
    built += [str(tmp_path / "out"), "--templates", mine, "--catalog", mine]
    built += ["--set", "switches.leaf={model: 7060x6-64pe}", "--set", "nos=comware"]
    built += ["--set", "addressing.mtu=9000"]
    assert run(program, built).exit_code == 0
    assert (tmp_path / "out/configs/r0-leaf-1/startup-config.cfg").is_file()
    wrong = {"--pack": "eoss", "--as": "sonic", "--leaf": "sn5600"}
    for option, value in wrong.items():
        at = copied.index(option) + 1
        refused = run(program, [*copied[:at], value, *copied[at + 1 : -1], str(tmp_path / "other")])
        assert refused.exit_code == 2
        assert option in refused.output
    assert isinstance(run(program, copied).exception, Refusal)  # the files exist
    assert run(program, ["init", "--pack", "eos", mine]).exit_code == 2
