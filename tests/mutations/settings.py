"""Mutations of the settings that both ends of a link share."""

from __future__ import annotations

from tests.mutations.breaking import Mutation, with_setting

MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "another MTU on a leaf",
        "lab",
        lambda e: with_setting(e, "switch", mtu=1500),
        "ends-agree",
        "mtu is 1500 at r0-leaf-1, and 9216 at r0-spine-1",
    ),
    Mutation(
        "another MTU on a host",
        "lab",
        lambda e: with_setting(e, "host", mtu=1500),
        "ends-agree",
        "mtu is 9216 at r0-leaf-1, and 1500 at host-1",
    ),
    Mutation(
        "another hold time on a leaf",
        "lab",
        lambda e: with_setting(e, "switch", timers={"hold_s": 30}),
        "ends-agree",
        "timers.hold_s is 30 at r0-leaf-1, and 9 at r0-spine-1",
    ),
    Mutation(
        "another BFD interval on a leaf",
        "shared",
        lambda e: with_setting(e, "switch", timers={"bfd_interval_ms": 50}),
        "ends-agree",
        "timers.bfd_interval_ms is 50 at",
    ),
    Mutation(
        "no BFD at one end",
        "lab",
        lambda e: with_setting(e, "switch", bfd=False),
        "ends-agree",
        "bfd is False at r0-leaf-1, and True at r0-spine-1",
    ),
    Mutation(
        "TTL security at one end",
        "lab",
        lambda e: with_setting(e, "switch", bgp={"ttl_security": True}),
        "ends-agree",
        "bgp.ttl_security is True at r0-leaf-1, and False at r0-spine-1",
    ),
    Mutation(
        "TTL security on a host alone",
        "unnumbered",
        lambda e: with_setting(e, "host", bgp={"ttl_security": True}),
        "ends-agree",
        "bgp.ttl_security is False at r0-leaf-1, and True at host-1",
    ),
    Mutation(
        "graceful restart at one end",
        "lab",
        lambda e: with_setting(e, "switch", bgp={"graceful_restart": True}),
        "ends-agree",
        "bgp.graceful_restart is True at r0-leaf-1, and False at r0-spine-1",
    ),
    Mutation(
        "another lossless priority on a leaf",
        "lab",
        lambda e: with_setting(e, "switch", roce={"priority": 4}),
        "ends-agree",
        "roce.priority is 4 at r0-leaf-1, and 3 at r0-spine-1",
    ),
)
