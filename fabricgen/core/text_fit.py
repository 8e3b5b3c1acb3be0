"""Texts that must fit a box."""


def cut(text: str, most: int) -> str:
    """Shorten a text to so many characters; its middle is cut because names differ at their ends.

    >>> cut("r0-leaf-1", 15), cut("rack12-tray07-and-more", 15), cut("host-1", 2)
    ('r0-leaf-1', 'rack12-…nd-more', 'h…')
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}…{text[len(text) - (most - half - 1) :]}"
