/** The rows that are shown as a CSV, with the columns of cabling/cables.csv. */

import type { CableColumn } from "../fabric";
import type { CableTable } from "./order";

const HEAD: CableColumn[] = [
  "cable", "rail", "plane", "tier", "a_device", "a_interface", "a_port", "b_device", "b_interface", "b_port", "speed",
  "a_rack", "a_unit", "b_rack", "b_unit", "length_m", "medium", "part", "a_transceiver", "b_transceiver",
];

/** One cell: quoted where it must be, and never a formula that a spreadsheet would run. A plain negative number is none. */
export function guarded(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[,"\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Write rows as a CSV. */
export function csv(table: CableTable, rows: Int32Array): string {
  const head: CableColumn[] = table.column("network").values.some(Boolean) ? [...HEAD, "network"] : HEAD;
  const columns = head.map((name) => ({ cells: table.column(name).values.map(guarded), codes: table.column(name).codes }));
  const lines = Array.from(rows, (row) => columns.map(({ cells, codes }) => cells[codes[row] ?? 0] ?? "").join(","));
  return `${[head.join(","), ...lines].join("\n")}\n`;
}
