/** The list of cables: narrowed, sorted, and kept as a CSV. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { columns, shared } from "../cables/columns";
import { rowFile, rowWord, rowWords } from "../cables/row_words";
import { Fields } from "../cables/fields";
import { Grid } from "../cables/grid";
import { type CableTable, filtered, sorted, type Sorting } from "../cables/order";
import { Paper, usePrinting } from "../cables/paper";
import { csv } from "../cables/sheet";
import type { Fabric } from "../fabric";
import { Reading, Section } from "../parts";
import { save } from "../download";
import { grouped, usePageState } from "../page_state";

/** The section; its table comes when the cables are read. */
export function Cables() {
  const { fabric } = usePageState();
  const hint = "Both ends of each cable. Click a name for details, a heading to sort.";
  return (
    <Section id="cables" title="Cables" hint={hint}>
      {fabric ? <Missing held={fabric.cables.length} /> : <Reading what="cables" />}
      {fabric && fabric.cables.length > 0 && <Listed fabric={fabric} />}
    </Section>
  );
}

function Listed({ fabric }: { fabric: Fabric }) {
  const { page, filter } = usePageState();
  const table = fabric.cables;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const left = useMemo(() => filtered(table, filter), [table, filter]);
  const rows = useMemo(() => sorted(table, left, sorting), [table, left, sorting]);
  const { merged, onScroller } = useMerged(table);
  const printing = usePrinting();
  const shown = useMemo(() => columns(table, merged && !printing), [table, merged, printing]);
  const common = useMemo(() => shared(table), [table]);
  return (
    <>
      <Fields fabric={fabric} />
      <div class="cables-line">
        <p role="status" data-testid="cable-count">
          {grouped(rows.length)} of {grouped(table.length)} {rowWords(page)}
          {rowWord(page) !== "cable" && `; the fabric has ${grouped(page.counts.cables)} cables`}
        </p>
        {common.length > 0 && <p>All with {common.join(", ")}</p>}
        <button type="button" onClick={() => save(`${page.fabric}-cables.csv`, csv(table, rows), "text/csv;charset=utf-8")}>
          Download CSV
        </button>
      </div>
      {printing ? <Paper table={table} rows={rows} shown={shown} /> : <Grid table={table} rows={rows} shown={shown} sorting={sorting} onSort={setSorting} wrapped={merged} onScroller={onScroller} />}
    </>
  );
}

/** Whether columns are merged, for there is no room for all: measured while all are shown, and compared with the room from then on. */
function useMerged(table: CableTable): { merged: boolean; onScroller(element: HTMLDivElement | null): void } {
  const [scroller, onScroller] = useState<HTMLDivElement | null>(null);
  const [merged, setMerged] = useState(false);
  useEffect(() => {
    let all = 0;
    const compare = () => {
      all = all || (scroller?.querySelector("table")?.offsetWidth ?? 0);
      setMerged(scroller !== null && all > scroller.clientWidth + 1);
    };
    setMerged(false);
    const observer = new ResizeObserver(compare);
    if (scroller) {
      observer.observe(scroller);
    }
    return () => observer.disconnect();
  }, [scroller, table]);
  return { merged, onScroller };
}

/** Shown where the list has more rows than a page can hold. */
function Missing({ held }: { held: number }) {
  const { page } = usePageState();
  return held < page.counts.rows ? (
    <p class="note">
      This page holds {held ? grouped(held) : "none"} of the fabric's {grouped(page.counts.rows)} {rowWords(page)}; <code>{rowFile(page)}</code> lists them all.
    </p>
  ) : null;
}
