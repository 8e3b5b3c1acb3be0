/** A field of few names, one of which is chosen, or none of them; an empty `none` is no option. */

interface Choice {
  label: string;
  names: string[];
  value: string;
  none: string;
  onValue(value: string): void;
}

export function Choice({ label, names, value, none, onValue }: Choice) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {none && <option value="">{none}</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
