/** The positions of the stations of a path in its picture: GPUs at the bottom, and above them the tiers. */

import type { Hop } from "../paths";

/** A station in pixels. A GPU and its own NIC port are one; an HB domain is the way between two GPUs. */
export interface Station {
  hop: Hop;
  x: number;
  y: number;
  /** What leads to it: a cable, the HB domain, or nothing at the first. */
  via: "cable" | "hb" | "";
}

const LEVELS: Record<string, number> = { gpu: 0, leaf: 1, spine: 2, core: 3 };
const ACROSS = 118;
const UP = 64;
const EDGE = 62;

/** Place the stations of a path side by side. */
export function stations(hops: Hop[]): { placed: Station[]; width: number; height: number } {
  const kept = hops.filter((hop) => hop.kind in LEVELS);
  const top = Math.max(...kept.map(levelOf));
  const placed = kept.map((hop, at) => ({ hop, x: EDGE + at * ACROSS, y: 34 + (top - levelOf(hop)) * UP, via: viaOf(hops, hop) }));
  return { placed, width: 2 * EDGE + (kept.length - 1) * ACROSS, height: 34 + top * UP + 44 };
}

function levelOf(hop: Hop): number {
  return LEVELS[hop.kind] ?? 0;
}

/** A GPU that is reached over its own NIC port is reached by that port's cable. */
function viaOf(hops: Hop[], hop: Hop): Station["via"] {
  return hop.via === "nic" || hop.via === "cable" ? "cable" : hop.via === "hb" && hops.includes(hop) ? "hb" : "";
}
