/** The same cluster as rail-only, rail-optimized and fat-tree, as bars. */

import type { Chart, Ownership } from "../model";
import { Scrolling, Section, Words } from "../parts";
import { usePageState } from "../page_state";

const HINT =
  "The same GPUs, HB domains and switches in each design. A bar is to scale within its figure; the saving is of rail-only against the fat-tree.";

export function Comparison() {
  const { page } = usePageState();
  const beside = page.networks ? " Only the compute fabric is compared; the other networks are the same in each design." : "";
  return (
    <Section id="comparison" title="Against the other designs" hint={HINT + beside}>
      <div class="charts">
        {page.charts.map((chart) => (
          <Bars key={chart.figure} chart={chart} design={page.design} />
        ))}
      </div>
      {page.ownership && <Owned ownership={page.ownership} />}
      {page.refused.map(({ design, fact }) => (
        <p class="note" key={design}>
          {design} cannot be built: {fact}.
        </p>
      ))}
    </Section>
  );
}

/** What each design costs over the years, and at other prices. */
function Owned({ ownership }: { ownership: Ownership }) {
  return (
    <>
      <h3>Cost of ownership</h3>
      <p class="hint">{ownership.terms}</p>
      <Table label="Cost of ownership" rows={ownership.costs} />
      <Table label="Totals at other prices" rows={ownership.changes} />
      <ul class="terms">
        {[...ownership.decides, ...ownership.missing].map((sentence) => (
          <li key={sentence}>
            <Words text={sentence} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Table({ label, rows: [columns = [], ...rows] }: { label: string; rows: string[][] }) {
  return (
    <Scrolling label={label}>
      <table class="stack">
        <thead>
          <tr>
            {columns.map((title, at) => (
              <th key={title} scope="col" class={at > 0 ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([title = "", ...values]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              {values.map((value, at) => (
                <td key={at} class="number" data-title={columns[at + 1]}>
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

/** The bars of one figure; the design that was asked for is the coloured one. */
function Bars({ chart, design }: { chart: Chart; design: string }) {
  const most = Math.max(...chart.bars.map(({ value }) => value ?? 0));
  return (
    <figure class="bars" data-figure={chart.figure}>
      <figcaption>
        <span>{chart.figure}</span>
        <Saving chart={chart} />
      </figcaption>
      <ul>
        {chart.bars.map((bar) => (
          <li key={bar.design} class={bar.design === design ? "asked" : undefined} data-design={bar.design}>
            <span class="what">{bar.design}</span>
            <span class="track" aria-hidden="true">
              <span class="bar" style={{ width: `${most ? (100 * (bar.value ?? 0)) / most : 0}%` }} />
            </span>
            <span class="amount">{bar.text || "not known"}</span>
          </li>
        ))}
      </ul>
      {chart.note && <p class="note">{chart.note}</p>}
    </figure>
  );
}

/** What rail-only saves: nothing where the cluster is so small that all designs are the same, and less than that where its rails fill their switches badly. */
function Saving({ chart: { saved_pct: share, saving } }: { chart: Chart }) {
  return saving ? <span class={`saving ${share ? (share > 0 ? "some" : "more") : ""}`.trim()}>{saving}</span> : null;
}
