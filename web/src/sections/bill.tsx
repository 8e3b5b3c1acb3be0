/** What to buy, and at which prices of which date. */

import { Scrolling, Section } from "../parts";
import { useWorld } from "../world";

export function Bill() {
  const { bill } = useWorld().page;
  const side = (column: number) => (bill.numeric.includes(column) ? "number" : undefined);
  return (
    <Section id="bill" title="Bill of materials">
      <ul class="hint terms">
        {bill.terms.map((term) => (
          <li key={term}>{term}</li>
        ))}
      </ul>
      <Scrolling label="Lines of the bill">
        <table class="bill">
          <thead>
            <tr>
              {bill.columns.map((column, at) => (
                <th key={column} scope="col" class={side(at)}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bill.rows.map(({ kind, cells }, row) => (
              <tr key={row} class={kind}>
                {cells.map((cell, at) => (
                  <td key={at} class={side(at)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </Section>
  );
}
