/** Long tables as columns: each holds its different values once, and a number per row that selects one. */

import type { Column } from "./model";

/** A column in memory: row r has the value `values[codes[r]]`. */
export interface Codes {
  values: string[];
  codes: Int32Array;
}

/** Rows by columns. */
export class Table<Name extends string> {
  readonly length: number;
  readonly #columns: Map<Name, Codes>;
  readonly #none: Codes;

  constructor(columns: Partial<Record<Name, Column>>) {
    const entries = Object.entries(columns) as [Name, Column][];
    this.#columns = new Map(entries.map(([name, column]) => [name, decode(column)]));
    this.length = entries[0]?.[1].steps.length ?? 0;
    this.#none = { values: [""], codes: new Int32Array(this.length) };
  }

  /** One column; empty texts where the page does not hold it. */
  column(name: Name): Codes {
    return this.#columns.get(name) ?? this.#none;
  }

  /** One cell. */
  text(name: Name, row: number): string {
    const { values, codes } = this.column(name);
    return values[codes[row] ?? -1] ?? "";
  }

  /** The rows that have a value in a column, in order. */
  rows(name: Name, value: string): number[] {
    const { values, codes } = this.column(name);
    const wanted = values.indexOf(value);
    const found: number[] = [];
    if (wanted >= 0) {
      codes.forEach((code, row) => code === wanted && found.push(row));
    }
    return found;
  }
}

function decode(column: Column): Codes {
  const codes = new Int32Array(column.steps.length);
  let code = 0;
  column.steps.forEach((step, row) => {
    code += step;
    codes[row] = code;
  });
  return { values: column.values, codes };
}
