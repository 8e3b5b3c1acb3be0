/** Where the page's documents come from: the file itself, or `fabricgen serve`. */

import type { Control, Page, Parts } from "./model";

/** One fabric's documents. The long parts are read once, when first asked for. */
export interface Source {
  page: Page;
  read<K extends keyof Parts>(part: K): Promise<Parts[K]>;
}

/** Return a source that loads each part once. */
export function source(page: Page, load: (part: keyof Parts) => Promise<unknown>): Source {
  const asked = new Map<keyof Parts, Promise<unknown>>();
  return {
    page,
    read<K extends keyof Parts>(part: K): Promise<Parts[K]> {
      const found = asked.get(part) ?? load(part);
      asked.set(part, found);
      return found as Promise<Parts[K]>;
    },
  };
}

/** The documents in the file. */
export function embedded(): Source {
  return source(JSON.parse(textOf("page") ?? "{}") as Page, async (part) => JSON.parse(await unpack(textOf(part) ?? "")));
}

/** The controls, where the page is served live; null in a file. */
export function controls(): Control[] | null {
  const text = textOf("controls");
  return text === null ? null : (JSON.parse(text) as Control[]);
}

/** The text of a part of the document; null where it has none of this name. */
function textOf(part: string): string | null {
  return document.querySelector(`script[data-part="${part}"]`)?.textContent ?? null;
}

/** Decode base64 of gzip of UTF-8 text. */
async function unpack(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
