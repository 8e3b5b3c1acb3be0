"""As-built against as-planned: LLDP and InfiniBand discovery, miscablings, and the fewest moves.

`load` and the readers of each format parse neighbor records, `port_index` finds their ports in the
plan, `reconcile` merges them, `fewest_moves` computes the repair, `fault_names` names each fault,
`audit` combines these, and `degraded_tables` plans around failed parts.
"""
