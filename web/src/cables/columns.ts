/** The columns of the table of cables: what each is called, what it is made of, and how wide it must be. */

import type { CableColumn } from "../fabric";
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
  /** Characters of the widest cell; of a merged column, its share of the width. */
  width: number;
}

const end = (side: "a" | "b", word: string): Asked[] => [
  { title: word, keys: [`${side}_device`] },
  { title: `${word} port`, keys: [`${side}_port`], style: "mono" },
  { title: `${word} interface`, keys: [`${side}_interface`], style: "mono" },
  { title: `${word} rack`, keys: [`${side}_rack`, `${side}_unit`], between: " U", style: "mono" },
];

/** The columns where there is no room for one for each value, each with its share of the width. */
const MERGED: (Asked & { share: number })[] = [
  { title: "Cable", keys: ["cable"], share: 23 },
  { title: "From", keys: ["a_device", "a_port", "a_rack"], between: " ", share: 28 },
  { title: "To", keys: ["b_device", "b_port", "b_rack"], between: " ", share: 28 },
  { title: "Length", keys: ["length_m"], unit: " m", style: "number", share: 21 },
];

const COLUMNS: Asked[] = [
  { title: "Cable", keys: ["cable"] },
  { title: "Network", keys: ["network"] },
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

/** The columns with different values, and those that name a cable and its ends; `merged` where there is no room for each. */
export function columns(table: CableTable, merged: boolean): Shown[] {
  const differs = ({ keys }: Asked) => keys.some((key) => NAMES.includes(key) || table.column(key).values.filter(Boolean).length > 1);
  return merged
    ? MERGED.filter(differs).map((column) => ({ ...column, width: column.share }))
    : COLUMNS.filter(differs).map((column) => ({ ...column, width: width(table, column) }));
}

/** What all cables share, in words: a column would repeat it in each row. */
export function shared(table: CableTable): string[] {
  return COLUMNS.filter(({ keys }) => keys.length === 1 && ["tier", "speed", "length_m", "medium", "part"].includes(keys[0] ?? "")).flatMap((column) => {
    const values = table.column(column.keys[0] ?? "cable").values;
    const text = values.length === 1 ? cell(table, column, 0) : "";
    return text ? [`${column.title.toLowerCase()} ${text}`] : [];
  });
}

const NAMES: CableColumn[] = ["cable", "a_device", "b_device"];

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
