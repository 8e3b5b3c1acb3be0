/** The two ends of a route, as the reader types them. */

import { useEffect, useState } from "preact/hooks";
import { typedGpu, gpuName, type Shape } from "../relays";

type Pair = [string, string];

/** Two fields, and what is wrong with them. Others may set the ends too: then the fields follow. */
export function Ends({ shape, ends, onEnds, onExample }: { shape: Shape; ends: Pair; onEnds(ends: Pair): void; onExample(): void }) {
  const [typed, setTyped] = useState<Pair>(ends);
  useEffect(() => setTyped(ends), [ends[0], ends[1]]);
  const put = (pair: Pair) => {
    setTyped(pair);
    if (!wrong(shape, pair)) {
      onEnds([pair[0].trim(), pair[1].trim()]);
    }
  };
  const swapped: Pair = [typed[1], typed[0]];
  const fault = wrong(shape, typed);
  return (
    <>
      <div class="fields ends">
        <Field label="From GPU" value={typed[0]} bad={typedGpu(shape, typed[0]) === undefined} onValue={(value) => put([value, typed[1]])} />
        <Field label="To GPU" value={typed[1]} bad={typedGpu(shape, typed[1]) === undefined} onValue={(value) => put([typed[0], value])} />
        <button type="button" onClick={() => put(swapped)}>
          Swap
        </button>
        <button type="button" onClick={onExample}>
          Example
        </button>
      </div>
      <p class="wrong" id="route-wrong" role="status">
        {fault}
      </p>
    </>
  );
}

function Field({ label, value, bad, onValue }: { label: string; value: string; bad: boolean; onValue(value: string): void }) {
  return (
    <label>
      {label}
      <input
        type="text"
        size={14}
        autocomplete="off"
        spellcheck={false}
        value={value}
        aria-invalid={bad}
        aria-describedby="route-wrong"
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}

/** What is wrong with two names; empty where nothing is. */
function wrong(shape: Shape, pair: Pair): string {
  const [source, target] = pair.map((name) => typedGpu(shape, name));
  const stray = source === undefined ? pair[0] : target === undefined ? pair[1] : undefined;
  if (stray !== undefined) {
    const what = stray.trim() ? `There is no GPU “${stray.trim()}”` : "Name two GPUs";
    return `${what}: they go from d0-g0 to ${gpuName(shape, shape.gpus - 1)}, the HB domain first and then the rank in it.`;
  }
  return source === target ? "Both names are of one GPU: name two GPUs." : "";
}
