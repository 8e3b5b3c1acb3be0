/** Which cables the table shows, and in which order: a filter over columns, and stable sorts by counting. */

import type { CableColumn } from "../fabric";
import { natural } from "../natural";
import type { Codes, Table } from "../table";
import type { Filter } from "../page_state";

export type CableTable = Table<CableColumn>;

/** What the table is sorted by: columns, the first one foremost. */
export interface Sorting {
  keys: CableColumn[];
  down: boolean;
}

/** A column's values by rank: value v is the `rank[v]`-th in natural order, the empty one last. */
const RANKS = new WeakMap<Codes, Int32Array>();

function ranks(column: Codes): Int32Array {
  const known = RANKS.get(column);
  if (known) {
    return known;
  }
  const { values } = column;
  const order = values.map((_, at) => at);
  order.sort((a, b) => Number(values[a] === "") - Number(values[b] === "") || natural(values[a] ?? "", values[b] ?? ""));
  const found = new Int32Array(values.length);
  order.forEach((value, rank) => (found[value] = rank));
  RANKS.set(column, found);
  return found;
}

/** The rows that a filter leaves, in the order of the table. */
export function filtered(table: CableTable, filter: Filter): Int32Array {
  const tests = [
    exactly(table, ["network"], filter.network),
    exactly(table, ["rail"], filter.rail),
    named(table, ["a_rack", "b_rack"], filter.rack),
    named(table, ["a_device", "b_device"], filter.device),
    holding(table, ["cable", "a_device", "b_device", "gpu"], filter.text),
  ].filter((test) => test !== null);
  const rows = new Int32Array(table.length);
  let count = 0;
  for (let row = 0; row < table.length; row += 1) {
    if (tests.every((columns) => columns.some(({ hits, codes }) => hits[codes[row] ?? 0]))) {
      rows[count] = row;
      count += 1;
    }
  }
  return rows.subarray(0, count);
}

/** For each of some columns, which of its values pass; a row passes where one of them does. Null where nothing is asked. */
type Test = { hits: Uint8Array; codes: Int32Array }[] | null;

function test(table: CableTable, columns: CableColumn[], asked: string, passes: (value: string) => boolean): Test {
  if (asked === "") {
    return null;
  }
  return columns.map((name) => {
    const { values, codes } = table.column(name);
    return { hits: Uint8Array.from(values, (value) => Number(passes(value))), codes };
  });
}

function exactly(table: CableTable, columns: CableColumn[], asked: string): Test {
  return test(table, columns, asked, (value) => value === asked);
}

function holding(table: CableTable, columns: CableColumn[], asked: string): Test {
  const low = asked.trim().toLowerCase();
  return test(table, columns, low, (value) => value.toLowerCase().includes(low));
}

/** A whole name means that one alone, `leaf-1` and not `leaf-10`; less than a name means all that hold it. */
function named(table: CableTable, columns: CableColumn[], asked: string): Test {
  const whole = asked.trim();
  const known = columns.some((name) => table.column(name).values.includes(whole));
  return known ? exactly(table, columns, whole) : holding(table, columns, whole);
}

/** Rows in another order; those that are alike keep theirs. */
export function sorted(table: CableTable, rows: Int32Array, sorting: Sorting | null): Int32Array {
  return (sorting?.keys ?? []).reduceRight((before, key) => byRank(table.column(key), before, sorting?.down ?? false), rows);
}

/** Sort by counting how many rows have each rank. */
function byRank(column: Codes, rows: Int32Array, down: boolean): Int32Array {
  const { codes } = column;
  const last = column.values.length - 1;
  const rank = ranks(column);
  const places = rank.map((each) => (down ? last - each : each));
  const next = new Int32Array(last + 2);
  rows.forEach((row) => (next[1 + (places[codes[row] ?? 0] ?? 0)]! += 1));
  next.forEach((count, at) => (next[at] = count + (next[at - 1] ?? 0)));
  const found = new Int32Array(rows.length);
  for (const row of rows) {
    const place = places[codes[row] ?? 0] ?? 0;
    found[next[place] ?? 0] = row;
    next[place]! += 1;
  }
  return found;
}
