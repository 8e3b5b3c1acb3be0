"""Others' descriptions of a switch, taken over as a file of the catalog: NetBox device types, SONiC's platform.json, Hedgehog's switch profiles.

`reading` tells the three apart, `netbox_types`, `sonic_platforms` and `hedgehog_profiles` read one each, `patterns` finds the rule behind names of
ports, and `drafts` makes the file. A fact that the description does not give is left out, or assumed and marked; both are said.
"""

from fabricgen.catalog.importers.detect import read_description
from fabricgen.catalog.importers.draft import Draft, make_draft

__all__ = ["Draft", "make_draft", "read_description"]
