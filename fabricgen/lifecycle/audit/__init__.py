"""As-built against as-planned: LLDP and InfiniBand discovery, miscablings, and the fewest moves.

`load` and the readers of each format parse neighbor records, `port_index` finds their ports in the
plan by `port_positions`, `reconcile` merges them, `fewest_moves` computes the repair, `fault_names`
and `single_faults` name each fault, `audit` combines these, and `degraded_tables` plans around
failed parts.
"""
