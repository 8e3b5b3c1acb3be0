/** What fails, and what that takes: a row for all parts that lose the same. */

import { useMemo } from "preact/hooks";
import { rowWord } from "../cables/row_words";
import { hasSwitches, toRoute } from "../details/section_links";
import type { Fabric, Thing } from "../fabric";
import type { Impact, Page } from "../model";
import { Reading, Scrolling, Section } from "../parts";
import type { Table } from "../table";
import { grouped, usePageState } from "../page_state";

/** Parts that are alike: what they are, how many, the first of them, and what its failure takes. */
interface Alike {
  what: string;
  count: number;
  first: Thing;
  /** Place of the impact among all, the worst first. */
  place: number;
  impact: Impact;
}

const TIERS: Record<string, string> = { "0": "direct ", "1": "host ", "2": "leaf-spine ", "3": "spine-core " };

/** The section; its table comes when the fabric is read. */
export function Failures() {
  const { fabric, page } = usePageState();
  const hint = (
    <>
      What is lost when one {hasSwitches(page) && "switch or one "}
      {rowWord(page)} fails, a row for all that lose the same, the worst first;{" "}
      <code>fabricgen impact FABRIC --fail X</code> answers the same for several at once.
    </>
  );
  return (
    <Section id="failures" title="Failures" hint={hint}>
      {fabric ? <Classes fabric={fabric} /> : <Reading what="the fabric" />}
    </Section>
  );
}

function Classes({ fabric }: { fabric: Fabric }) {
  const { page } = usePageState();
  const found = useMemo(() => ranked(fabric, page), [fabric, page]);
  const names = [...new Set(found.flatMap(({ impact }) => impact.figures.map(([name]) => name)))];
  return (
    <Scrolling label="What fails">
      <table class="failures stack">
        <caption>What fails</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Alike
            </th>
            {names.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col">Look at one</th>
          </tr>
        </thead>
        <tbody>
          {found.map((each) => (
            <Row key={`${each.first.kind} ${each.first.name}`} alike={each} names={names} />
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function Row({ alike, names }: { alike: Alike; names: string[] }) {
  const state = usePageState();
  const { what, count, first, impact } = alike;
  const values = new Map(impact.figures);
  const route = toRoute(state, first);
  return (
    <tr>
      <th scope="row">{what}</th>
      <td class="number" data-title="Alike">
        {grouped(count)}
      </td>
      {names.map((name) => (
        <td key={name} class="number" data-title={name}>
          {values.get(name) ?? ""}
        </td>
      ))}
      <td class="acts">
        <button type="button" class="name" aria-label={`Show one: ${first.name}, a ${what}`} onClick={() => state.select(first)}>
          Show one
        </button>
        {route && (
          <button type="button" class="name" aria-label={`Fail it on the route: ${first.name}`} onClick={route}>
            Fail it on the route
          </button>
        )}
      </td>
    </tr>
  );
}

/** The classes of switches and of cables, the worst first. A page that cannot hold all cables holds those of some units, and all units are alike. */
function ranked(fabric: Fabric, page: Page): Alike[] {
  const switches = classes(fabric.devices, "name", "role", "device", fabric.impacts);
  const held = classes(fabric.cables, "cable", "tier", "cable", fabric.impacts);
  const times = page.counts.rows / fabric.cables.length;
  const all = held.map((each) => ({ ...each, what: `${TIERS[each.what] ?? ""}${rowWord(page)}`, count: Math.round(each.count * times) }));
  return [...switches, ...all].sort((a, b) => a.place - b.place);
}

/** Count the rows of a table that are the same thing and lose the same, and take the first of each class for all. */
function classes<Name extends string>(table: Table<Name | "alike">, name: Name, what: Name, kind: Thing["kind"], impacts: Impact[]): Alike[] {
  const likes = table.column("alike");
  const whats = table.column(what);
  const counts = new Map<number, { count: number; row: number }>();
  likes.codes.forEach((like, row) => {
    const key = like * whats.values.length + (whats.codes[row] ?? 0);
    const seen = counts.get(key) ?? { count: 0, row };
    seen.count += 1;
    counts.set(key, seen);
  });
  return [...counts.values()].flatMap(({ count, row }) => {
    const like = table.text("alike", row);
    const place = Number(like);
    const impact = like === "" ? undefined : impacts[place];
    return impact ? [{ what: table.text(what, row), count, first: { kind, name: table.text(name, row) }, place, impact }] : [];
  });
}
