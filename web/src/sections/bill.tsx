/** What to buy, and at which prices of which date. */

import { Scrolling, Section, Words } from "../parts";
import { usePageState } from "../page_state";

export function Bill() {
  const { bill } = usePageState().page;
  const shown = bill.columns.map((_, at) => at).filter((at) => bill.rows.some(({ cells }) => cells[at]));
  const look = (column: number) => (bill.numeric.includes(column) ? "number" : bill.prose.includes(column) ? "prose" : undefined);
  return (
    <Section id="bill" title="Bill of materials">
      <ul class="hint terms">
        {bill.terms.map((term) => (
          <li key={term}>
            <Words text={term} />
          </li>
        ))}
      </ul>
      <Scrolling label="Lines of the bill">
        <table class="bill stack">
          <thead>
            <tr>
              {shown.map((at) => (
                <th key={at} scope="col" class={look(at)}>
                  {bill.columns[at]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bill.rows.map(({ kind, cells }, row) => (
              <tr key={row} class={kind}>
                {shown.map((at) => (
                  <td key={at} class={look(at)} data-title={bill.columns[at]}>
                    {cells[at]}
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
