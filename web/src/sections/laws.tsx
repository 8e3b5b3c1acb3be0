/** Every law of a fabric, with the figure that was found. */

import type { Law } from "../model";
import { Reading, Scrolling, Section, Words } from "../parts";
import { usePart } from "../page_state";

export function Laws() {
  const laws = usePart("laws");
  const holding = laws?.filter(({ ok }) => ok).length ?? 0;
  return (
    <Section id="laws" title="Laws" hint="What every fabric must satisfy, worked out from the plan; fabricgen explain CODE describes a law.">
      {laws ? (
        <>
          <p data-testid="laws">
            {holding} of {laws.length} laws hold.
          </p>
          <Scrolling label="List of laws">
            <table class="stack">
              <thead>
                <tr>
                  <th scope="col">Holds</th>
                  <th scope="col">Law</th>
                  <th scope="col">Figure</th>
                  <th scope="col">Code</th>
                </tr>
              </thead>
              <tbody>
                {laws.map((law) => (
                  <Row key={law.code} law={law} />
                ))}
              </tbody>
            </table>
          </Scrolling>
        </>
      ) : (
        <Reading what="the laws" />
      )}
    </Section>
  );
}

function Row({ law }: { law: Law }) {
  const [word, mark] = law.ok ? ["yes", "good"] : law.ok === null ? ["not judged", "warn"] : ["broken", "bad"];
  return (
    <tr>
      <td class={mark} data-title="Holds">
        {word}
      </td>
      <th scope="row">{law.title}</th>
      <td data-title="Figure">
        <Words text={law.figure} />
        {law.findings.map((finding, at) => (
          <pre key={at}>{finding}</pre>
        ))}
      </td>
      <td data-title="Code">
        <code>{law.code}</code>
      </td>
    </tr>
  );
}
