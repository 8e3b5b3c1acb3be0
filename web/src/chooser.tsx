/** A choice of one name out of many, with the way to the one before and after it. */

import { useEffect, useId, useState } from "preact/hooks";
import { grouped } from "./page_state";

/** Names that belong together, like the switches of a role. */
export interface Group {
  label: string;
  names: string[];
}

interface Choice {
  /** What is chosen, like "rack"; it begins the label and ends those of the buttons. */
  noun: string;
  groups: Group[];
  value: string;
  onChoose(name: string): void;
}

/** Names that a list shows; where there are more, one types. */
const MOST = 200;

/** A list where the names are few, else a field that suggests; with both, the previous and the next one. */
export function Chooser(choice: Choice) {
  const names = choice.groups.flatMap((group) => group.names);
  const at = names.indexOf(choice.value);
  return (
    <div class="fields">
      <label>
        {choice.noun.charAt(0).toUpperCase() + choice.noun.slice(1)}
        {names.length > MOST ? <Typed {...choice} names={names} /> : <Listed {...choice} />}
      </label>
      <Step label={`Previous ${choice.noun}`} sign="‹" to={names[at - 1]} onChoose={choice.onChoose} />
      <Step label={`Next ${choice.noun}`} sign="›" to={names[at + 1]} onChoose={choice.onChoose} />
      <span class="hint">
        {grouped(at + 1)} of {grouped(names.length)}
      </span>
    </div>
  );
}

function Step({ label, sign, to, onChoose }: { label: string; sign: string; to: string | undefined; onChoose(name: string): void }) {
  return (
    <button type="button" aria-label={label} title={label} disabled={to === undefined} onClick={() => to !== undefined && onChoose(to)}>
      {sign}
    </button>
  );
}

function Listed({ groups, value, onChoose }: Choice) {
  const options = (names: string[]) => names.map((name) => <option key={name}>{name}</option>);
  return (
    <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {groups.length === 1
        ? options(groups[0]?.names ?? [])
        : groups.map(({ label, names }) => (
            <optgroup key={label} label={label}>
              {options(names)}
            </optgroup>
          ))}
    </select>
  );
}

/** Choose by typing; what is no name is marked and changes nothing. */
function Typed({ noun, names, value, onChoose }: Choice & { names: string[] }) {
  const [text, setText] = useState(value);
  const list = useId();
  useEffect(() => setText(value), [value]);
  const known = names.includes(text);
  const type = (typed: string) => {
    setText(typed);
    if (names.includes(typed)) {
      onChoose(typed);
    }
  };
  return (
    <>
      <input list={list} value={text} aria-invalid={!known} placeholder={`name of a ${noun}`} onInput={(event) => type(event.currentTarget.value)} />
      <datalist id={list}>
        {suggested(names, known ? "" : text, MOST).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** The first names that hold a text, in their order. */
export function suggested(names: string[], text: string, most: number): string[] {
  const wanted = text.toLowerCase();
  const found: string[] = [];
  for (const name of names) {
    if (name.toLowerCase().includes(wanted) && found.push(name) === most) {
      break;
    }
  }
  return found;
}
