"""The report of a fabric: one HTML file that shows all of it, without a server and without a network.

`document` owns the report and which parts it has. Its light part is made by `paging` with `figures`, `bills`, `faces` and `iterating`; the parts
that are as long as the fabric by `tables`, `classes` and `sketches`. `packing` writes these short, and `html` makes the file. The page itself is
written in TypeScript and bundled into `page`; what passes between the two is `web/src/model.ts`.
"""

from fabricgen.inventory.load import inventory_text
from fabricgen.outputs.report.compact_json import packed, short_json
from fabricgen.outputs.report.html import html, json_block, packed_block, safe_json, shell
from fabricgen.outputs.report.report import PARTS, Part, Report

__all__ = ["PARTS", "Part", "Report", "html", "inventory_text", "json_block", "packed", "packed_block", "safe_json", "shell", "short_json"]
