"""The program that writes `netbox_forms.yaml` from the import forms of an installed NetBox.

It runs in the environment of NetBox, whose database is migrated and may be empty:

    cd NETBOX/netbox
    ../venv/bin/python CHECKOUT/tests/outputs/netbox_forms.py > netbox_forms.yaml

A field is needed where the form refuses a row without it, whatever default the model has.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

FORMS = {
    "tags": "extras:Tag",
    "sites": "dcim:Site",
    "locations": "dcim:Location",
    "racks": "dcim:Rack",
    "manufacturers": "dcim:Manufacturer",
    "device-roles": "dcim:DeviceRole",
    "platforms": "dcim:Platform",
    "device-types": "dcim:DeviceType",
    "devices": "dcim:Device",
    "interfaces": "dcim:Interface",
    "console-ports": "dcim:ConsolePort",
    "console-server-ports": "dcim:ConsoleServerPort",
    "rear-ports": "dcim:RearPort",
    "front-ports": "dcim:FrontPort",
    "cable-bundles": "dcim:CableBundle",
    "cables": "dcim:Cable",
    "vlan-groups": "ipam:VLANGroup",
    "vlans": "ipam:VLAN",
    "ip-addresses": "ipam:IPAddress",
}
"""The application and the model of each table of the files."""


def _facts(form: Any) -> dict[str, Any]:  # noqa: ANN401 - a form of Django, which has no types here
    """Return the fields of a form, those that a row needs, their lengths and their choices."""
    columns = {name: field for name, field in form.fields.items() if not name.startswith("_")}
    plain = {name: field for name, field in columns.items() if not hasattr(field, "queryset")}
    model = {field.name: field for field in form._meta.model._meta.get_fields()}  # noqa: SLF001 - of Django
    lengths = {name: getattr(model.get(name), "max_length", None) for name in plain}
    return {
        "fields": [*columns],
        "needed": [name for name, field in columns.items() if field.required],
        "lengths": {name: length for name, length in lengths.items() if length},
        "choices": {
            name: [value for value, _ in field.choices if isinstance(value, str | int) and value]
            for name, field in plain.items()
            if getattr(field, "choices", None) and name != "time_zone"
        },
    }


def main() -> None:
    """Print the facts of all forms."""
    sys.path.insert(0, ".")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "netbox.settings")
    import_module("django").setup()
    version = import_module("django.conf").settings.RELEASE.full_version
    found = {}
    for table, place in FORMS.items():
        application, model = place.split(":")
        form = getattr(import_module(f"{application}.forms.bulk_import"), f"{model}ImportForm")
        found[table] = _facts(form())
    head = f"# The import forms of NetBox {version}, written by netbox_forms.py beside this file.\n"
    text = import_module("yaml").safe_dump(
        found, sort_keys=False, width=98, default_flow_style=None
    )
    print(head + text, end="")  # noqa: T201 - the program prints the file


if __name__ == "__main__":
    main()
