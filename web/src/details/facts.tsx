/** What the panel is made of: facts by name, buttons, and what a failure takes. */

import type { ComponentChildren } from "preact";
import type { Thing } from "../fabric";
import { usePageState } from "../page_state";

/** Facts by name; those that are empty are left out. */
export function Facts({ facts }: { facts: [name: string, fact: ComponentChildren][] }) {
  const known = facts.filter(([, fact]) => fact !== "" && fact !== null && fact !== undefined);
  return (
    <dl class="facts">
      {known.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What one can do with the thing; a label without an action is left out. */
export function Actions({ actions }: { actions: [label: string, action: (() => void) | null][] }) {
  return (
    <p class="actions">
      {actions.map(
        ([label, action]) =>
          action && (
            <button key={label} type="button" onClick={action}>
              {label}
            </button>
          ),
      )}
    </p>
  );
}

/** What is lost when the thing fails; nothing where that is no failure of the network. */
export function Failing({ thing }: { thing: Thing }) {
  const { fabric } = usePageState();
  const impact = fabric?.impact(thing);
  if (!impact) {
    return null;
  }
  return (
    <div data-testid="impact">
      <h3>When it fails</h3>
      <p>{impact.sentence}</p>
      <Facts facts={impact.figures} />
    </div>
  );
}
