"""Time and traffic of one training iteration of a language model on a fabric.

`machine` owns what the equations need of a fabric, `equations` the time, `sweep` one varied figure,
`published` the figures of papers, `svg_charts` and `charts` the charts. `collectives` owns which
GPUs exchange how many bytes, `link_traffic` the bytes on links, `idle_links` the links without
traffic, `heatmap` the picture, `all_to_all` the traffic of experts over relays.
"""
