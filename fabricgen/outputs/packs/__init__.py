"""Template packs: what each writes, in which view, and the sandbox that they run in.

A pack is a folder `templates/<pack>/` with a `pack.yaml` and one template per section. A user's
folder shadows the shipped one file by file. Owns everything that uses Jinja2. It decides no
content: views are finished before they are rendered.
"""
