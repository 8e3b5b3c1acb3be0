/** The networks beside the compute fabric: what each takes, the totals of the cluster, and the way to their drawings. */

import type { Networks as Shape } from "../model";
import { Scrolling, Section, Words } from "../parts";
import { go, usePageState } from "../page_state";

export function Networks({ networks }: { networks: Shape }) {
  const { columns, numeric, rows, notes } = networks;
  const side = (column: number) => (numeric.includes(column) ? "number" : undefined);
  return (
    <Section id="networks" title="Networks" hint="What each network of the cluster takes, and all of them together.">
      <Scrolling label="Networks of the cluster">
        <table class="bill stack">
          <thead>
            <tr>
              {columns.map((name, at) => (
                <th key={name} scope="col" class={side(at)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row} class={row === rows.length - 1 ? "total" : undefined}>
                {cells.map((cell, at) => (
                  <td key={at} class={side(at)} data-title={columns[at]}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      <ul class="hint terms">
        {notes.map((note) => (
          <li key={note}>
            <Words text={note} />
          </li>
        ))}
      </ul>
      <Drawings />
    </Section>
  );
}

/** A button for the drawing of each network. */
function Drawings() {
  const { page, setDrawing } = usePageState();
  const draw = (name: string) => () => {
    setDrawing(name);
    go("topology");
  };
  return (
    <div class="fields">
      {page.drawings.networks.map((name) => (
        <button key={name} type="button" onClick={draw(name)}>
          Drawing: {name}
        </button>
      ))}
    </div>
  );
}
