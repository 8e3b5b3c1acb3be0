/** The controls of `fabricgen serve`, and the page that follows them. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Control, query, type Values } from "./fetching";
import { type Live, useLive } from "./live";
import type { Controls } from "./model";
import type { Source } from "./source";

/** A control that takes a number: its label, the key that it sets, what its arrows add, and numbers that are often wanted. */
interface Field {
  name: Exclude<Control, "design">;
  label: string;
  key: string;
  step(controls: Controls): number;
  usual: number[];
}

const FIELDS: Field[] = [
  { name: "gpus", label: "GPUs", key: "gpus", step: (controls) => controls.hb_domain, usual: powers(6, 20) },
  { name: "hb_domain", label: "HB domain", key: "hb_domain", step: () => 1, usual: [...powers(1, 6), 72, ...powers(7, 9), 576] },
  { name: "radix", label: "Radix", key: "switches", step: () => 16, usual: powers(3, 9) },
  { name: "planes", label: "Planes", key: "rails.planes", step: () => 1, usual: powers(0, 3) },
];

/** The bar of controls. A changed value is requested; a fabric that cannot be built is reported, and the page stays as it was. */
export function Turning({ controls, onSized }: { controls: Controls; onSized(source: Source): void }) {
  const [values, setValues] = useState<Values>({});
  const live = useLive(values, controls, onSized);
  const turn = (name: Control, value: string) => setValues({ ...values, [name]: value });
  return (
    <form class="turning" aria-label="Sizing" data-testid="controls" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        {FIELDS.map((field) => (
          <Numeric key={field.name} field={field} live={live} value={values[field.name]} onTurn={turn} />
        ))}
        <Design live={live} value={values.design} onTurn={turn} />
        <button type="button" disabled={Object.keys(values).length === 0} onClick={() => setValues({})}>
          Reset
        </button>
        <Kept live={live} />
      </div>
      <Said live={live} />
    </form>
  );
}

interface Turned {
  live: Live;
  value: string | undefined;
  onTurn(name: Control, value: string): void;
}

/** A control that takes a number. */
function Numeric({ field, live, value, onTurn }: Turned & { field: Field }) {
  const { name, label, usual } = field;
  const step = field.step(live.controls);
  return (
    <Labelled live={live} label={label} at={field.key}>
      {(wrong) => (
        <>
          <input
            type="number" inputMode="numeric" min={step} step={step} list={`usual-${name}`} name={name} autoComplete="off"
            value={value ?? live.controls[name]} aria-invalid={wrong} aria-describedby="diagnostics"
            onInput={(event) => onTurn(name, event.currentTarget.value)}
          />
          <datalist id={`usual-${name}`}>
            {usual.map((number) => (
              <option key={number} value={number} />
            ))}
          </datalist>
        </>
      )}
    </Labelled>
  );
}

/** The choice of the design. */
function Design({ live, value, onTurn }: Turned) {
  const { design, designs } = live.controls;
  return (
    <Labelled live={live} label="Design" at="design">
      {(wrong) => (
        <select name="design" value={value ?? design} aria-invalid={wrong} aria-describedby="diagnostics" onChange={(event) => onTurn("design", event.currentTarget.value)}>
          {designs.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A label around a control, which shows whether a finding concerns its key. */
function Labelled({ live, label, at, children }: { live: Live; label: string; at: string; children(wrong: boolean): ComponentChildren }) {
  const wrong = live.refused?.findings.some(({ key }) => key === at || key.startsWith(`${at}.`)) ?? false;
  return (
    <label>
      {label}
      {children(wrong)}
    </label>
  );
}

/** What can be kept of the fabric that the page shows. */
function Kept({ live }: { live: Live }) {
  const asked = query(live.values);
  return (
    <p class="kept">
      Download{" "}
      <a href={`inventory.yaml${asked}`} data-testid="inventory-link">
        Inventory
      </a>{" "}
      <a href={`build.zip${asked}`} data-testid="build-link">
        Whole build (zip)
      </a>
    </p>
  );
}

/** The state: what the page shows now, or why it could not follow. */
function Said({ live }: { live: Live }) {
  const { waiting, refused, failed, headline } = live;
  return (
    <>
      <p class="said" role="status" data-testid="state">
        {waiting ? "Sizing …" : refused || failed ? "" : headline}
      </p>
      <div id="diagnostics" class="diagnostics" role="alert" data-testid="diagnostics">
        {failed && <p>{failed}</p>}
        {refused && (
          <>
            <pre>{refused.text}</pre>
            <p>The page shows the last fabric that can be built. A key without a control is set in the inventory.</p>
          </>
        )}
      </div>
    </>
  );
}

/** The powers of two from one exponent to another. */
function powers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => 2 ** (first + at));
}
