"""What is written for which inventory, in which order, on every core.

`context` owns what a build starts from, the modules `group_*` the tasks of each group of outputs,
`job` their list, and `run` their execution. `write` is the only writer of files.
"""
