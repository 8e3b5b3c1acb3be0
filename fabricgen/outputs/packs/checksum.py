"""The filter of scripts that have their own checksum."""

from __future__ import annotations

import hashlib


def md5_line(script: str, form: str) -> str:
    r"""Return a script with a second line in which `{}` of a form is the MD5 sum of the others.

    >>> md5_line("#!/bin/sh\nexit 0\n", "# {}").splitlines()[1]
    '# 33e4fd94e2560e008e2c3b431d0e3419'
    """
    first, end, rest = script.partition("\n")
    digest = hashlib.md5(script.encode(), usedforsecurity=False).hexdigest()
    return first + end + form.replace("{}", digest) + "\n" + rest
