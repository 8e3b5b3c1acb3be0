/** A button that copies a text. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Copies `text`, and shows whether it could. Where the browser forbids it, what `shown` holds is selected instead. */
export function Copy({ text, shown }: { text: string; shown?: RefObject<HTMLElement> }) {
  const [said, say] = useState("");
  useEffect(() => say(""), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      say(shown?.current && select(shown.current) ? "Selected: copy it with Ctrl+C." : "The browser does not let a page copy here: select the text and copy it by hand.");
    }
  };
  return (
    <div class="copying">
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{said}</span>
    </div>
  );
}

/** Select what an element holds, as if one had dragged over it; false where the browser cannot. */
function select(shown: HTMLElement): boolean {
  const selection = getSelection();
  selection?.selectAllChildren(shown);
  return selection !== null;
}
