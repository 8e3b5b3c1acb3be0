/** The controls of `fabricgen serve`, and the page that follows them. */

import { useState } from "preact/hooks";
import { query, type Values } from "./served";
import { type Live, useLive } from "./live";
import type { Control, Finding } from "./model";
import { Words } from "./parts";
import type { Source } from "./source";

/** The bar of controls. A changed value is requested; a fabric that cannot be built is reported, and the page stays as it was. */
export function Controls({ controls, onSized }: { controls: Control[]; onSized(source: Source): void }) {
  const [values, setValues] = useState<Values>({});
  const live = useLive(values, controls, onSized);
  const change = ({ name, resets }: Control, value: string) =>
    setValues((before) => {
      const kept = Object.entries(before).filter(([other]) => other !== name && !resets.includes(other));
      return { ...Object.fromEntries(kept), [name]: value };
    });
  return (
    <form class="controls" aria-label="Sizing" data-testid="controls" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        {live.controls.map((control) => (
          <Field key={control.name} control={control} value={values[control.name] ?? control.value} found={findingsOf(live, control.name)} onChange={change} />
        ))}
        <button type="button" disabled={Object.keys(values).length === 0} onClick={() => setValues({})}>
          Reset
        </button>
        <Downloads live={live} />
      </div>
      <Fixed controls={live.controls} />
      <State live={live} />
    </form>
  );
}

/** The findings of the last request that belong to a control. */
function findingsOf({ refused }: Live, name: string): Finding[] {
  return refused?.findings.filter(({ control }) => control === name) ?? [];
}

interface ControlProps {
  control: Control;
  value: string;
  onChange(control: Control, value: string): void;
}

/** A control under its label, with what was found wrong in its value. */
function Field({ control, value, found, onChange }: ControlProps & { found: Finding[] }) {
  const { name, label } = control;
  const about = [found.length > 0 && `wrong-${name}`, control.refused && `fixed-${name}`].filter(Boolean).join(" ") || undefined;
  const common = { name, disabled: control.refused !== "", "aria-invalid": found.length > 0, "aria-describedby": about };
  return (
    <div class={found.length > 0 ? "field wrong" : "field"}>
      <label>
        {label}
        {control.choices.length > 0 ? (
          <Select control={control} value={value} onChange={onChange} common={common} />
        ) : (
          <Input control={control} value={value} onChange={onChange} common={common} />
        )}
      </label>
      {found.length > 0 && (
        <div id={`wrong-${name}`} class="why" role="alert" data-testid={`wrong-${name}`}>
          {found.map((finding, at) => (
            <Why key={at} finding={finding} />
          ))}
        </div>
      )}
    </div>
  );
}

/** What was found, its arithmetic, and what would be accepted. */
function Why({ finding: { fact, because, hint } }: { finding: Finding }) {
  return (
    <p>
      <strong>
        <Words text={capitalized(fact)} />
      </strong>
      {because.length > 0 && (
        <>
          : <Words text={because.join("; ")} />
        </>
      )}
      {hint && (
        <>
          . <Words text={capitalized(hint)} />
        </>
      )}
    </p>
  );
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

type Common = Record<string, string | boolean | undefined>;

/** A control that takes one of its choices; one that would be refused has its reason. */
function Select({ control, value, onChange, common }: ControlProps & { common: Common }) {
  return (
    <select {...common} value={value} onChange={(event) => onChange(control, event.currentTarget.value)}>
      {control.choices.map((choice) => (
        <option key={choice.value} value={choice.value} disabled={choice.refused !== ""} title={choice.refused || undefined}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** A control that takes a number, or a text such as a ratio. */
function Input({ control, value, onChange, common }: ControlProps & { common: Common }) {
  const { name, step, usual } = control;
  const number = step > 0 ? { type: "number", inputMode: "numeric" as const, min: step, step } : { type: "text" };
  return (
    <>
      <input {...common} {...number} list={`usual-${name}`} value={value} autoComplete="off" onInput={(event) => onChange(control, event.currentTarget.value)} />
      <datalist id={`usual-${name}`}>
        {usual.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

/** Why some controls have one value only. */
function Fixed({ controls }: { controls: Control[] }) {
  const fixed = controls.filter(({ refused }) => refused);
  return fixed.length > 0 ? (
    <ul class="fixed" aria-label="Fixed controls">
      {fixed.map(({ name, label, refused }) => (
        <li key={name} id={`fixed-${name}`}>
          {label}: {refused}
        </li>
      ))}
    </ul>
  ) : null;
}

/** The files of the fabric that the page shows. */
function Downloads({ live }: { live: Live }) {
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
function State({ live }: { live: Live }) {
  const { waiting, refused, failed, headline } = live;
  const elsewhere = refused?.findings.some(({ control }) => control === "") ?? false;
  return (
    <>
      <p class="said" role="status" data-testid="state">
        {waiting ? "Sizing …" : refused ? "The page shows the last fabric that can be built." : failed ? "" : headline}
      </p>
      <div id="diagnostics" class="diagnostics" data-testid="diagnostics">
        {failed && <p role="alert">{failed}</p>}
        {refused && (
          <details open={elsewhere}>
            <summary>As the command line reports it</summary>
            <pre>{refused.text}</pre>
          </details>
        )}
      </div>
    </>
  );
}
