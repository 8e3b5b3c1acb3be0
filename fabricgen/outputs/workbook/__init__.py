"""The spreadsheets: cables to pull and parts to buy.

Owns columns, widths, colours, sheets and print setup; the only user of XlsxWriter. What a row holds
is decided in `views`. The same rows give the same bytes. Every text is written as text, so that no
word of a catalog or an inventory becomes a formula.

`palette` owns the colours, `workbook` the layout of a file, `table_sheet` that of short tables,
`cells` texts and formulas; `cables` and `bom` fill one file each.
"""
