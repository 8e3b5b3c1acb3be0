/** Finds things by a piece of their name. Devices, racks and cables are listed; GPUs are so many and so regular that their names are made up. */

import type { Fabric, Thing } from "./fabric";
import type { Page } from "./model";

/** A thing that was found: what it is, and its rail, empty where it serves several. */
export interface Found {
  thing: Thing;
  what: string;
  rail: string;
}

/** How well a name fits: it is the text, begins with it, or holds it. */
type Fit = 0 | 1 | 2;

interface Match {
  name: string;
  fit: Fit;
  /** Place in the list of names; rank in its HB domain for a GPU. */
  place: number;
}

/** What is found at most. */
const MOST = 20;

const KINDS: Thing["kind"][] = ["device", "rack", "gpu", "cable"];

/** Find at most 20 things: names that begin with the text first, and of each kind some where several fit. */
export function find(fabric: Fabric, page: Page, asked: string): Found[] {
  const text = asked.trim().toLowerCase();
  if (text === "") {
    return [];
  }
  const matches = KINDS.flatMap((kind) => matching(fabric, page, kind, text).map((match, turn) => ({ kind, match, turn })));
  const best = matches.sort((a, b) => a.match.fit - b.match.fit || a.turn - b.turn).slice(0, MOST);
  best.sort((a, b) => a.match.fit - b.match.fit || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.turn - b.turn);
  return best.map(({ kind, match }) => described(fabric, page, kind, match));
}

function matching(fabric: Fabric, page: Page, kind: Thing["kind"], text: string): Match[] {
  switch (kind) {
    case "device":
      return listed(fabric.devices.column("name").values, text);
    case "rack":
      return listed(fabric.devices.column("rack").values, text);
    case "cable":
      return listed(fabric.cables.column("cable").values, text);
    case "gpu":
      return gpus(page, text);
  }
}

/** Names of a list, the best first, as many as can be shown. */
function listed(names: string[], text: string): Match[] {
  const found: [Match[], Match[], Match[]] = [[], [], []];
  names.forEach((name, place) => {
    const fit = fitOf(name, text);
    if (fit !== null && found[fit].length < MOST) {
      found[fit].push({ name, fit, place });
    }
  });
  return found.flat().slice(0, MOST);
}

function fitOf(name: string, text: string): Fit | null {
  const at = name.toLowerCase().indexOf(text);
  return at < 0 || name === "" ? null : at > 0 ? 2 : name.length === text.length ? 0 : 1;
}

/** Names `d<domain>-g<rank>`. All begin with d and hold no other, so either all matches are beginnings or none is, and the first 20 will do. */
function gpus({ counts }: Page, text: string): Match[] {
  const found: Match[] = [];
  for (let domain = 0; domain * counts.domain_gpus < counts.gpus && /^d?\d*-?g?\d*$/.test(text); domain += 1) {
    const start = `d${domain}-`;
    const ranks = text.startsWith("d") && !start.startsWith(text) && !text.startsWith(start) ? 0 : counts.domain_gpus;
    for (let rank = 0; rank < ranks; rank += 1) {
      const name = `${start}g${rank}`;
      const fit = fitOf(name, text);
      if (fit !== null) {
        found.push({ name, fit, place: rank });
      }
      if (found.length === MOST) {
        return found;
      }
    }
  }
  return found;
}

function described(fabric: Fabric, page: Page, kind: Thing["kind"], { name, place }: Match): Found {
  const thing = { kind, name };
  switch (kind) {
    case "device": {
      const row = fabric.device(name) ?? 0;
      return { thing, what: fabric.devices.text("role", row), rail: fabric.devices.text("rail", row) };
    }
    case "cable":
      return { thing, what: "cable", rail: fabric.cables.text("rail", fabric.cables.column("cable").codes.indexOf(place)) };
    case "gpu":
      return { thing, what: "GPU", rail: String(place % page.counts.rails) };
    case "rack":
      return { thing, what: "rack", rail: "" };
  }
}
