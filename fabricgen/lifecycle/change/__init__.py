"""Changes to an existing fabric: expansion, diff, phases, import.

`expand` plans a larger fabric around an older one with `keep_endpoints`, `keep_links` and
`keep_positions`, and `lower_bound` computes how few cables must move. `diff` compares two plans in
steps that a technician can follow; `import_cut_sheet` reads how a fabric is cabled from a
`cut_sheet`.
"""
