"""The catalog model of the collective communication library of accelerators."""

from typing import Annotated

from pydantic import Field

from fabricgen.catalog.models.base import Facts, Sourced, Text

Release = Annotated[str, Field(pattern=r"^\d+(\.\d+)*$")]


class Since(Facts):
    """The first release with each feature; None where no release has it."""

    gid_search: Release | None = None
    """It finds the GID of RoCE v2 by itself, with NCCL_IB_ADDR_FAMILY and NCCL_IB_ADDR_RANGE."""
    rail_attributes: Release | None = None
    """NCCL_IB_HCA takes rail and plane, and there is NCCL_NET_MERGE_POLICY."""
    subnet_aware_routing: Release | None = None
    """NCCL_IB_SUBNET_AWARE_ROUTING and NCCL_IB_SUBNET_PREFIX_LEN."""


class Library(Sourced):
    """A collective communication library, the file that it reads and its releases."""

    name: Text
    title: Text
    """What its users call it."""
    file: Annotated[str, Field(pattern=r"^/[A-Za-z0-9./_-]+$")]
    """The configuration that it reads on a host."""
    since: Since = Since()
