/** A button that copies a text. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Copies `text`, and shows whether it could. Where the browser forbids it, what `shown` holds is selected instead. */
export function Copy({ text, shown }: { text: string; shown?: RefObject<HTMLElement> }) {
  const [outcome, setOutcome] = useState("");
  useEffect(() => setOutcome(""), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("Copied.");
    } catch {
      setOutcome(shown?.current && select(shown.current) ? "Selected: copy it with Ctrl+C." : "The browser does not let a page copy here: select the text and copy it by hand.");
    }
  };
  return (
    <div class="copying">
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{outcome}</span>
    </div>
  );
}

/** Select what an element holds, as dragging over it does; false where the browser cannot. */
function select(shown: HTMLElement): boolean {
  const selection = getSelection();
  selection?.selectAllChildren(shown);
  return selection !== null;
}
