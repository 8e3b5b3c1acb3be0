/** The columns of the table of cables: what each is called, what it is made of, and how wide it must be. */

import type { CableColumn } from "../fabric";
import type { Page } from "../model";
import type { CableTable } from "./order";

/** A column before its width is known. Its cells are the values of `keys` joined by `between`; it is sorted by them, the first one foremost. */
interface Asked {
  title: string;
  keys: CableColumn[];
  between?: string;
  /** What follows the text. */
  unit?: string;
  /** Numbers are right-aligned, names in the typeface of names. */
  style?: "number" | "mono";
}

/** A column that is shown. */
export interface Shown extends Asked {
  /** Characters of the widest cell. */
  width: number;
}

const end = (side: "a" | "b", word: string): Asked[] => [
  { title: word, keys: [`${side}_device`] },
  { title: `${word} port`, keys: [`${side}_port`], style: "mono" },
  { title: `${word} interface`, keys: [`${side}_interface`], style: "mono" },
  { title: `${word} rack`, keys: [`${side}_rack`, `${side}_unit`], between: " U", style: "mono" },
];

const COLUMNS: Asked[] = [
  { title: "Cable", keys: ["cable"] },
  { title: "Rail", keys: ["rail"] },
  { title: "Plane", keys: ["plane"] },
  { title: "Tier", keys: ["tier"] },
  ...end("a", "From"),
  ...end("b", "To"),
  { title: "Speed", keys: ["speed"], style: "number" },
  { title: "Length", keys: ["length_m"], unit: " m", style: "number" },
  { title: "Medium", keys: ["medium"] },
  { title: "Part", keys: ["part"], style: "mono" },
];

const TIERS: Record<string, string> = { "1": "1 leaf", "2": "2 spine", "3": "3 core" };

/** The columns that say something: planes where there are several, racks and lengths where the inventory wants any. */
export function columns(table: CableTable, page: Page): Shown[] {
  const says = (key: CableColumn) => (key === "plane" ? page.counts.planes > 1 : table.column(key).values.some(Boolean));
  return COLUMNS.filter(({ keys }) => keys.some(says)).map((column) => ({ ...column, width: width(table, column) }));
}

/** The text of a cell. */
export function cell(table: CableTable, { keys, between = "", unit = "" }: Asked, row: number): string {
  const text = keys.map((key) => table.text(key, row)).filter(Boolean).join(between);
  return keys[0] === "tier" ? (TIERS[text] ?? text) : text && text + unit;
}

/**
 * Rows come and go as one scrolls, so the widths are those of the longest values, not of the rows that are shown.
 * Titles wrap, and leave room for an arrow.
 */
function width(table: CableTable, { title, keys, between = "", unit = "" }: Asked): number {
  const longest = keys.map((key) => table.column(key).values.reduce((most, value) => Math.max(most, value.length), 0));
  const text = longest.reduce((all, each) => all + each, 0) + between.length + unit.length;
  const word = Math.max(...title.split(" ").map((each) => each.length));
  return Math.max(text, word + 1, keys[0] === "tier" ? 7 : 0);
}
