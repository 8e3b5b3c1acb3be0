/** What is plugged into a switch: each port in use, with its cage and its far end. */

import type { Fabric } from "../fabric";
import type { Face, Page } from "../model";
import { natural } from "../natural";

/** One port in use. Cage and position are 0 where the front is not known, or the cage not split. */
export interface Plug {
  interface: string;
  port: string;
  cage: number;
  position: number;
  cable: string;
  rail: string;
  /** True where the cable comes from below: from a host, or from a lower tier. */
  down: boolean;
  speed: string;
  length: string;
  farDevice: string;
  farInterface: string;
  farRack: string;
}

/** The front of a switch; undefined where the page has none. */
export function faceOf(page: Page, role: string, rail: string): Face | undefined {
  return page.faces[`${role}@${rail}`] ?? page.faces[role];
}

/** The ports in use of a switch, in the order of its front. */
export function plugsOf(fabric: Fabric, name: string, face: Face | undefined): Plug[] {
  const plugs = Array.from(fabric.cablesAt(name), (row) => plugOf(fabric, name, row, face));
  return plugs.sort((one, other) => one.cage - other.cage || one.position - other.position || natural(one.interface, other.interface));
}

function plugOf({ cables }: Fabric, name: string, row: number, face: Face | undefined): Plug {
  const down = cables.text("b_device", row) === name;
  const [near, far] = down ? (["b", "a"] as const) : (["a", "b"] as const);
  const own = cables.text(`${near}_interface`, row);
  const [cage, position] = (face && ownOf(face.ports, own)) ?? [0, 0];
  return {
    interface: own,
    port: cables.text(`${near}_port`, row),
    cage,
    position,
    cable: cables.text("cable", row),
    rail: cables.text("rail", row),
    down,
    speed: cables.text("speed", row),
    length: cables.text("length_m", row),
    farDevice: cables.text(`${far}_device`, row),
    farInterface: cables.text(`${far}_interface`, row),
    farRack: cables.text(`${far}_rack`, row),
  };
}

/** What a record has under a name from outside, which may be that of something that every object has. */
export function ownOf<T>(record: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The installed switches of the compute fabric by role, from the leaves up. */
export function switchesOf(fabric: Fabric): { label: string; names: string[] }[] {
  const found = ["leaf", "spine", "core"].map((role) => {
    const names = fabric.devices.rows("role", role).map((row) => fabric.devices.text("name", row)).filter((name) => !fabric.isBeside(name));
    return { label: role, names: names.sort(natural) };
  });
  return found.filter(({ names }) => names.length > 0);
}
