"""`init`: a commented inventory to start from."""

from __future__ import annotations

from pathlib import Path

import click

from fabricgen.cli.options import DESIGNS

SCHEMA = "fabric.schema.json"


@click.command()
@click.argument("file", default="fabric.yaml", type=click.Path(allow_dash=True))
@click.option("--name", default="my-fabric", show_default=True, help="Name of the fabric.")
@click.option("--gpus", type=click.IntRange(1), default=1024, show_default=True, help="GPUs.")
@click.option("--hb-domain", type=click.IntRange(1), help="GPUs of an HB domain; default: the host model's, else 8.")
@click.option("--host", metavar="MODEL", help="Host of the catalog, like dgx-h100.")
@click.option("--leaf", metavar="MODEL", help="Switch of the catalog, like sn5600.")
@click.option("--radix", type=click.IntRange(2), help="Ports of a switch, instead of a model; default 64.")
@click.option("--nos", metavar="NAME", help="Network operating system, like sonic.")
@click.option("--design", type=click.Choice(DESIGNS), default="rail-only", show_default=True, help="Design.")
@click.option("--planes", type=click.IntRange(1), help="NIC ports per GPU; default: the fewest that the host offers.")
@click.option("--force", is_flag=True, help="Replace an inventory that exists.")
def init(
    file: str,
    name: str,
    gpus: int,
    hb_domain: int | None,
    host: str | None,
    leaf: str | None,
    radix: int | None,
    nos: str | None,
    design: str,
    planes: int | None,
    *,
    force: bool,
) -> None:
    """Write a commented inventory that builds, and beside it the schema that editors read.

    FILE is fabric.yaml by default; `-` prints.
    """
    from fabricgen.catalog import Catalog
    from fabricgen.diagnostics import refuse
    from fabricgen.packs import Packs
    from fabricgen.planner import make_plan
    from fabricgen.reading import read_text
    from fabricgen.spec import json_schema
    from fabricgen.writing import json_document, write_file

    if leaf and radix:
        raise click.UsageError("a switch is either a --leaf model or a --radix")
    target = None if file == "-" else Path(file)
    if target and target.exists() and not force:
        raise refuse("file-exists", f"`{file}` exists, so it is not overwritten", hint="choose another file, or use --force")
    known = Catalog()
    chassis = known.host(host) if host else None
    fewest = min(chassis.speeds_gbps) if chassis else 1
    text = Packs().render(
        "init", "fabric.yaml.j2",
        name=name, gpus=gpus, hb_domain=hb_domain or (chassis.hb_domain_gpus if chassis else 8), hosts=chassis.hb_domain_hosts if chassis else 1,
        host=host, leaf=leaf, radix=radix or 64, nos=nos, design=design, planes=planes or fewest, schema=SCHEMA,
    )  # fmt: skip
    inventory = read_text(text, "init")
    with inventory.placing():
        make_plan(inventory.spec, known)
    if target is None:
        click.echo(text, nl=False)
        return
    write_file(target, text)
    write_file(target.with_name(SCHEMA), json_document(json_schema()))
    click.echo(f"wrote {target} and {target.with_name(SCHEMA)}; next: fabricgen build {target} -o out")
