/** What is bought, its cost, savings, limits, dates and prices, for who decides on the purchase. */

import { Section, Words } from "../parts";
import { usePageState } from "../page_state";

export function Decision() {
  const { page } = usePageState();
  return (
    <Section id="decision" title="Decision">
      <dl class="decision card">
        {page.decision.map(({ key, label, sentences }) => (
          <div key={key} data-answer={key}>
            <dt>{label}</dt>
            <dd>
              {sentences.map((sentence, at) => (
                <p key={at}>
                  <Words text={sentence} />
                </p>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
