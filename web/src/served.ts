/** Fetches the parts of a fabric from `fabricgen serve`: the drawing at once, long tables one at a time. */

import type { Page, Parts } from "./model";
import { type Source, source } from "./source";

/** What was typed, by control, the last change last; what was not stays as the inventory has it. */
export type Values = Record<string, string>;

/** The address that requests these values. */
export function query(values: Values): string {
  const text = new URLSearchParams(values).toString();
  return text && `?${text}`;
}

/** Long tables are requested when nothing was changed for so long. */
const LULL_MS = 800;

/** Their order. One waits for another, so that the next change finds the server idle soon. */
const LONG: (keyof Parts)[] = ["devices", "cables", "stripes", "configs", "laws"];

let shown: AbortController | null = null;

/** The source of the fabric that is shown from now on; what the last one still waited for is dropped. */
export function served(page: Page, values: Values): Source {
  const lull = shown ? LULL_MS : 0;
  shown?.abort();
  shown = new AbortController();
  const { signal } = shown;
  const queue = new Queue((part) => fetched(part, values, signal), lull, signal);
  return source(page, (part) => (LONG.includes(part) ? queue.ask(part) : fetched(part, values, signal)));
}

/** Long tables that a section waits for. */
class Queue {
  readonly #waiting = new Map<keyof Parts, (answer: Promise<unknown>) => void>();
  #running = false;

  constructor(
    readonly load: (part: keyof Parts) => Promise<unknown>,
    readonly lull: number,
    readonly signal: AbortSignal,
  ) {}

  /** Wait for a table. */
  ask(part: keyof Parts): Promise<unknown> {
    const answer = new Promise((resolve) => this.#waiting.set(part, resolve));
    if (!this.#running) {
      this.#running = true;
      setTimeout(() => void this.#next(), this.lull);
    }
    return answer;
  }

  async #next(): Promise<void> {
    const part = LONG.find((each) => this.#waiting.has(each));
    this.#running = part !== undefined && !this.signal.aborted;
    if (part === undefined || !this.#running) {
      return;
    }
    const answer = this.load(part);
    this.#waiting.get(part)?.(answer);
    this.#waiting.delete(part);
    await answer.catch(() => null);
    await this.#next();
  }
}

/** Fetch a part; it never resolves once another fabric is shown. */
async function fetched(part: keyof Parts, values: Values, signal: AbortSignal): Promise<unknown> {
  try {
    const answer = await fetch(`parts/${part}${query(values)}`, { signal });
    if (!answer.ok) {
      throw new Error(await answer.text());
    }
    return await answer.json();
  } catch (error) {
    if (signal.aborted) {
      return new Promise(() => {});
    }
    throw error;
  }
}
