/** What the sections share: the documents, the fabric once it is read, and what the reader points at. */

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Fabric, Thing } from "./fabric";
import type { Page, Parts } from "./model";
import type { Source } from "./source";

/** What the table of cables is narrowed to; empty fields narrow nothing. `text` is looked for in names of cables, devices and GPUs. */
export interface Filter {
  network: string;
  rail: string;
  rack: string;
  device: string;
  text: string;
}

export const EVERYTHING: Filter = { network: "", rail: "", rack: "", device: "", text: "" };

export interface PageState {
  source: Source;
  page: Page;
  /** Devices and cables; null while they are read. */
  fabric: Fabric | null;
  /** What the panel at the side shows. */
  selected: Thing | null;
  select(thing: Thing | null): void;
  filter: Filter;
  setFilter(filter: Filter): void;
  /** The ends of the route that is drawn, as names of GPUs; empty where none was asked for. */
  ends: [string, string];
  setEnds(ends: [string, string]): void;
  /** The switch or cable that the route must do without; null for none. */
  failed: Thing | null;
  setFailed(failed: Thing | null): void;
  /** The drawing that is shown, by name. */
  drawing: string;
  setDrawing(name: string): void;
  /** The switch whose front and files are shown, and the rack. */
  shownSwitch: string;
  setShownSwitch(name: string): void;
  shownRack: string;
  setShownRack(name: string): void;
}

export const PageContext = createContext<PageState | null>(null);

/** The shared state of the page, for the section that calls it. */
export function usePageState(): PageState {
  const state = useContext(PageContext);
  if (!state) {
    throw new Error("a section is outside the page");
  }
  return state;
}

/** One of the long parts; null while it is read. */
export function usePart<K extends keyof Parts>(part: K): Parts[K] | null {
  const { source } = usePageState();
  const [read, setRead] = useState<{ source: Source; value: Parts[K] } | null>(null);
  useEffect(() => {
    let wanted = true;
    void source.read(part).then((value) => wanted && setRead({ source, value }));
    return () => {
      wanted = false;
    };
  }, [source, part]);
  return read?.source === source ? read.value : null;
}

/** Scroll a section into view and put the focus on its heading, as a link to it would. */
export function go(section: string): void {
  const heading = document.getElementById(section);
  heading?.scrollIntoView({ block: "start" });
  heading?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
}

/** Write a number with its thousands apart. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
