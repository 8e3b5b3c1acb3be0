/** The devices of each rack, and between which racks cables run. */

import type { Fabric } from "../fabric";
import { natural } from "../natural";

/** A device in its rack. `unit` is its lowest, from 1 at the bottom; both are 0 where unknown. */
export interface Held {
  name: string;
  role: string;
  model: string;
  rail: string;
  unit: number;
  height: number;
}

/** Cables of a rack: those that stay in it, and those that go to others, the most first. */
export interface Ties {
  inside: number;
  others: [rack: string, cables: number][];
}

/** The racks in which something is installed, by name. */
export function racksOf(fabric: Fabric): string[] {
  const racks = fabric.devices.column("rack");
  const roles = fabric.devices.column("role");
  const planned = roles.values.indexOf("planned");
  const used = new Set<number>();
  racks.codes.forEach((code, row) => roles.codes[row] !== planned && used.add(code));
  return Array.from(used, (code) => racks.values[code] ?? "").filter(Boolean).sort(natural);
}

/** Every device that is planned for a rack, the highest first. */
export function heldBy(fabric: Fabric, rack: string): Held[] {
  return fabric.devices.rows("rack", rack).map((row) => held(fabric, row)).sort((one, other) => other.unit - one.unit);
}

function held({ devices }: Fabric, row: number): Held {
  return {
    name: devices.text("name", row),
    role: devices.text("role", row),
    model: devices.text("model", row),
    rail: devices.text("rail", row),
    unit: Number(devices.text("unit", row)) || 0,
    height: Number(devices.text("height", row)) || 0,
  };
}

/** Count the cables of a rack by where they go. */
export function tiesOf(fabric: Fabric, rack: string): Ties {
  const [a, b] = [fabric.cables.column("a_rack"), fabric.cables.column("b_rack")];
  const [here, there] = [a.values.indexOf(rack), b.values.indexOf(rack)];
  const found = new Map<string, number>();
  const count = (name: string | undefined) => found.set(name ?? "", (found.get(name ?? "") ?? 0) + 1);
  a.codes.forEach((code, row) => {
    if (code === here) {
      count(b.values[b.codes[row] ?? -1]);
    } else if (b.codes[row] === there) {
      count(a.values[code]);
    }
  });
  const inside = found.get(rack) ?? 0;
  found.delete(rack);
  return { inside, others: [...found].sort((one, other) => other[1] - one[1] || natural(one[0], other[0])) };
}
