"""Printed labels: `pages` lays out sheets of labels, `qr_codes` draws their codes."""
