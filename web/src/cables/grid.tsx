/** The table of cables on the screen: only the rows that can be seen are in the document. */

import { useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Name, Rail } from "../parts";
import { usePageState } from "../page_state";
import { cell, type Shown } from "./columns";
import type { CableTable, Sorting } from "./order";

/** Height of a row in pixels, which cables.css sets too; where cells wrap, rows are measured, and this is a guess. */
const ROW = 32;
const WRAPPED = 72;

interface Props {
  table: CableTable;
  rows: Int32Array;
  shown: Shown[];
  sorting: Sorting | null;
  onSort(sorting: Sorting): void;
  /** True where cells wrap and rows differ in height. */
  wrapped: boolean;
  /** Called with the scroller, whose width decides on the columns. */
  onScroller(element: HTMLDivElement | null): void;
}

/** The table in its scroller. Screen readers get the number of rows, and which of them are shown. */
export function Grid({ table, rows, shown, sorting, onSort, wrapped, onScroller }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const estimateSize = () => (wrapped ? WRAPPED : ROW);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize, overscan: 12 });
  useLayoutEffect(() => onScroller(scroller.current), []);
  useLayoutEffect(() => virtual.measure(), [wrapped]);
  const items = virtual.getVirtualItems();
  const total = shown.reduce((all, { width }) => all + width, 0);
  useLayoutEffect(() => scroller.current?.scrollTo({ top: 0 }), [rows]);
  return (
    <div class={wrapped ? "scrolling cables wrapped" : "scrolling cables"} role="region" aria-label="List of cables" tabIndex={0} ref={scroller} onKeyDown={(event) => turn(event, scroller)}>
      <table aria-rowcount={rows.length + 1} aria-labelledby="cables-title">
        <colgroup>
          {shown.map(({ title, width }) => (
            <col key={title} style={{ width: wrapped ? `${(100 * width) / total}%` : `calc(${width}ch + var(--gap))` }} />
          ))}
        </colgroup>
        <Head shown={shown} sorting={sorting} onSort={onSort} />
        <tbody>
          <Spacer height={items[0]?.start ?? 0} span={shown.length} />
          {items.map(({ index }) => (
            <Row key={index} table={table} row={rows[index] ?? 0} index={index} shown={shown} measure={wrapped ? virtual.measureElement : undefined} />
          ))}
          <Spacer height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} span={shown.length} />
        </tbody>
      </table>
    </div>
  );
}

/** The titles, which sort: a first click up, a second down. */
function Head({ shown, sorting, onSort }: Pick<Props, "shown" | "sorting" | "onSort">) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {shown.map(({ title, keys, style }) => {
          const way = sorting?.keys[0] === keys[0] ? (sorting?.down ? "descending" : "ascending") : undefined;
          return (
            <th key={title} scope="col" class={style === "number" ? style : undefined} aria-sort={way}>
              <button type="button" class="sort" onClick={() => onSort({ keys, down: way === "ascending" })}>
                {title}
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface RowProps extends Pick<Props, "table" | "shown"> {
  row: number;
  index: number;
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
}

function Row({ table, row, index, shown, measure }: RowProps) {
  const { selected } = usePageState();
  const marked = selected?.kind === "cable" && selected.name === table.text("cable", row);
  return (
    <tr aria-rowindex={index + 2} class={marked ? "marked" : undefined} data-index={index} {...(measure && { ref: measure })}>
      {shown.map((column) => (
        <td key={column.title} class={column.style}>
          <Cell table={table} row={row} column={column} />
        </td>
      ))}
    </tr>
  );
}

/** One cell: a name that can be opened, a rail in its colour, or a text. */
export function Cell({ table, row, column }: { table: CableTable; row: number; column: Shown }) {
  const text = cell(table, column, row);
  switch (column.keys[0]) {
    case "cable":
      return <Name thing={{ kind: "cable", name: text }} />;
    case "a_device":
    case "b_device": {
      const name = table.text(column.keys[0], row);
      return (
        <>
          <Name thing={{ kind: "device", name }} />
          {text.slice(name.length)}
        </>
      );
    }
    case "rail":
      return <Rail rail={text} />;
    default:
      return <>{text}</>;
  }
}

/** Stands for the rows above, or below, those that are in the document. */
function Spacer({ height, span }: { height: number; span: number }) {
  return height > 0 ? (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  ) : null;
}

/** Home, End and the page keys move the table also where the focus is on a name in it, which may be gone from the document afterwards. */
function turn(event: KeyboardEvent, { current }: RefObject<HTMLDivElement>): void {
  const page = (current?.clientHeight ?? 0) - 2 * ROW;
  const top = current?.scrollTop ?? 0;
  const goal = { Home: 0, End: current?.scrollHeight ?? 0, PageUp: top - page, PageDown: top + page }[event.key];
  if (current && goal !== undefined) {
    event.preventDefault();
    current.focus({ preventScroll: true });
    current.scrollTo({ top: goal });
  }
}
