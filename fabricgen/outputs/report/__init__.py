"""The report of a fabric: one HTML file that shows all of it, without a server or a network.

`report` owns the document and its parts. The first page comes from `page_data` with `decision`,
`key_figures`, `bom`, `faceplates` and `iteration`; the parts that grow with the fabric from
`tables`, `failure_impacts` and `drawings`. `packed_parts` shortens these, and `html` makes the
file. The page is written in TypeScript and bundled into `page`; `web/src/model.ts` defines the data
between them.
"""
