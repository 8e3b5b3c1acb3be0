"""Facts per cable, switch, host and subnet: finished, sorted and named, before any text.

A view holds every decision as text or number, so that a template only loops, tests and joins. Views
are slotted dataclasses, because a million-GPU fabric renders four million ports, and Jinja reads
slots fastest. A template may use the fields, and those properties and methods that are marked
`for_templates`. `factory` makes the views of a fabric; a package `build` makes its `view`.
"""
