/** What the fabric amounts to. */

import type { Figure, Page } from "../model";
import { Scrolling, Section, Words } from "../parts";
import { usePageState } from "../page_state";

export function Numbers() {
  const { page } = usePageState();
  return (
    <Section id="numbers" title="Numbers" hint={page.networks ? "The figures of the compute fabric; the next section has those of all networks." : undefined}>
      <Figures figures={page.figures} />
      {page.iteration && <Iteration iteration={page.iteration} />}
      {page.notes.length > 0 && (
        <div class="notes">
          <h3>Worth knowing</h3>
          <ul>
            {page.notes.map((note) => (
              <li key={note}>
                <Words text={note} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}

/** The time of an iteration and its parts; the symbols of their equations for those who ask. */
function Iteration({ iteration }: { iteration: NonNullable<Page["iteration"]> }) {
  return (
    <>
      <h3>One training iteration of {iteration.llm}</h3>
      <Figures figures={iteration.parts} />
      <details>
        <summary>Where these times come from</summary>
        {iteration.notes.map((note) => (
          <p class="note" key={note}>
            <Words text={note} />
          </p>
        ))}
        <Scrolling label="Symbols of the equations">
          <table class="stack">
            <tbody>
              {iteration.symbols.map(({ name, value, what, origin }) => (
                <tr key={name}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td class="number">{value}</td>
                  <td>{what}</td>
                  <td>
                    <Words text={origin} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      </details>
    </>
  );
}

function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ key, label, value, note }) => (
        <div key={key} data-figure={key}>
          <dt>{label}</dt>
          <dd class="value">{value}</dd>
          {note && (
            <dd class="note">
              <Words text={note} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
