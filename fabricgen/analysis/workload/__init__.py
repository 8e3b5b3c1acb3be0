"""What one training iteration of a language model takes on a fabric: its time, and the traffic behind it.

`machine` owns what enters of a fabric, `equations` the time, `sweeping` one figure varied, `published` what others printed, `plotting` the
charts. `groups` owns who talks to whom and the bytes between them, `crossing` those on links, `trimming` what links carry nothing,
`heatmap` the picture, `all_to_all` the traffic of experts over relays.
"""
