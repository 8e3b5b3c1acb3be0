/** Small things that sections are made of. */

import type { ComponentChildren } from "preact";
import type { Thing } from "./fabric";
import type { Colour, Page } from "./model";
import { usePageState } from "./page_state";

/** A section with its heading, which links, and the focus, can go to. */
export function Section({ id, title, hint, children }: { id: string; title: string; hint?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {hint && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

/** Shown while a long part is read. */
export function Reading({ what }: { what: string }) {
  return (
    <p class="reading" role="status">
      Reading {what} …
    </p>
  );
}

/** A name that opens the panel at the side. */
export function Name({ thing, children }: { thing: Thing; children?: ComponentChildren }) {
  const { select } = usePageState();
  return (
    <button type="button" class="name" onClick={() => select(thing)}>
      {children ?? thing.name}
    </button>
  );
}

/** The colour of a rail, by its number or its text; undefined where there is none: -1 or an empty text. */
export function colourOf(page: Page, rail: number | string): Colour | undefined {
  const number = rail === "" ? -1 : Number(rail);
  return number < 0 ? undefined : page.colours[number % page.colours.length];
}

/** The style of what is filled with a colour. */
export function filled(colour: Colour | undefined): { background: string; color: string } | undefined {
  return colour && { background: colour.fill, color: colour.text };
}

/** The style of what is drawn in a colour, which is `--hue` in the style sheet. */
export function hued(colour: Colour | undefined): Record<string, string> {
  return colour ? { "--hue": colour.fill } : {};
}

/** A rail in its colour; nothing where a thing serves several. */
export function Rail({ rail }: { rail: string }) {
  const { page } = usePageState();
  if (rail === "") {
    return null;
  }
  const colour = colourOf(page, rail);
  return (
    <span class="rail" style={filled(colour)} title={`rail ${rail}, ${colour?.name ?? ""}`}>
      {rail}
    </span>
  );
}

/** A text in which backticks mark what one would type, as the command line prints it. */
export function Words({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}

/** A table that scrolls sideways where the page is narrow, and that the keyboard can scroll. */
export function Scrolling({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scrolling" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
