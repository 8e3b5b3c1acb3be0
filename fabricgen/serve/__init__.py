"""The report, served live: other numbers are typed into the page, and it follows.

`turning` owns what the controls set in an inventory, `desk` the plans that come of it, `beside` a second desk that makes long tables, `zipping` a
whole build in one file, `routes` what is answered to which address, and `server` the sockets, and who may ask. Pages come from `report`, the command
that builds from `cli`.
"""

from fabricgen.serve.server import HOST, Server
from fabricgen.serve.sessions import Desk
from fabricgen.serve.worker import Beside

__all__ = ["HOST", "Beside", "Desk", "Server"]
