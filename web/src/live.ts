/** Requests the same fabric in other sizes from `fabricgen serve`. */

import { useEffect, useRef, useState } from "preact/hooks";
import { query, served, type Values } from "./served";
import type { Control, Sized } from "./model";
import type { Source } from "./source";

type Refused = Extract<Sized, { findings: unknown }>;

/** The state of the last request. `values` are those of the page that is shown. */
export interface Live {
  waiting: boolean;
  refused: Refused | null;
  /** Why there is no answer at all; empty where there is one. */
  failed: string;
  controls: Control[];
  values: Values;
  /** What the page shows since the last change, in a sentence. */
  headline: string;
}

/** A reader who types on is waited for so long. */
const DEBOUNCE_MS = 120;

/** Follow values: ask when they have rested, keep the last answer, and hand on its source. */
export function useLive(values: Values, first: Control[], onSized: (source: Source) => void): Live {
  const [live, setLive] = useState<Live>({ waiting: false, refused: null, failed: "", controls: first, values: {}, headline: "" });
  const settled = useRef(values);
  useEffect(() => {
    if (values === settled.current) {
      return;
    }
    settled.current = values;
    if (Object.values(values).includes("")) {
      setLive((before) => ({ ...before, waiting: false })); // the user is about to type
      return;
    }
    const asking = new AbortController();
    setLive((before) => ({ ...before, waiting: true }));
    const follow = async () => {
      const found = await ask(values, asking.signal);
      if (!asking.signal.aborted) {
        setLive((before) => after(before, values, found));
        if ("page" in found) {
          onSized(served(found.page, values));
        }
      }
    };
    const timer = setTimeout(() => void follow(), DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [values]);
  return live;
}

/** Fetch what these values come to; a question that is no longer wanted has any answer. */
async function ask(values: Values, signal: AbortSignal): Promise<Sized | { failed: string }> {
  try {
    const answer = await fetch(`sized${query(values)}`, { signal });
    const known = answer.ok || answer.status === 422;
    return known ? ((await answer.json()) as Sized) : { failed: await answer.text() };
  } catch {
    return { failed: "`fabricgen serve` does not answer. Is it still running?" };
  }
}

/** The state after an answer. What was refused leaves the page, and its links, as they were. */
function after(before: Live, values: Values, found: Sized | { failed: string }): Live {
  const rested = { ...before, waiting: false, refused: null, failed: "" };
  if ("page" in found) {
    return { ...rested, controls: found.controls, values, headline: found.page.headline };
  }
  return "failed" in found ? { ...rested, failed: found.failed } : { ...rested, refused: found };
}
