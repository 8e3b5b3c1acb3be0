/** The table of cables on paper: a table of which only a part is in the document would print only that part. */

import { useEffect, useState } from "preact/hooks";
import { flushSync } from "preact/compat";
import { grouped, usePageState } from "../page_state";
import { cell, type Shown } from "./columns";
import { rowFile, rowWords } from "./row_words";
import type { CableTable } from "./order";

/** Rows that are printed; more are for the spreadsheet. */
const MOST = 160;

/** True while the page is printed. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}

/** All rows, or a note on where they are instead. */
export function Paper({ table, rows, shown }: { table: CableTable; rows: Int32Array; shown: Shown[] }) {
  const { page } = usePageState();
  if (rows.length > MOST) {
    return (
      <p>
        {grouped(rows.length)} {rowWords(page)} are too many for paper; they are in <code>{rowFile(page)}</code>.
      </p>
    );
  }
  return (
    <table class="cables-paper">
      <thead>
        <tr>
          {shown.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from(rows, (row) => (
          <tr key={row}>
            {shown.map((column) => (
              <td key={column.title}>{cell(table, column, row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
