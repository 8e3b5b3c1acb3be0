/** The fabric as the page holds it: its devices and cables, and what hangs on what. */

import type { Cables, Devices, Impact } from "./model";
import { Table } from "./table";

export type DeviceColumn = keyof Devices["columns"];
export type CableColumn = keyof Cables["columns"];

/** What one can point at. */
export interface Thing {
  kind: "device" | "cable" | "gpu" | "rack";
  name: string;
}

/** Devices and cables with their indexes. A row is the number of a device or of a cable. */
export class Fabric {
  readonly devices: Table<DeviceColumn>;
  readonly cables: Table<CableColumn>;
  readonly impacts: Impact[];
  readonly #device: Map<string, number>;
  #cable: Map<string, number> | null = null;
  #gpus: Map<string, number[]> | null = null;
  #ends: { first: Int32Array; rows: Int32Array } | null = null;

  constructor(devices: Devices, cables: Cables) {
    this.devices = new Table(devices.columns);
    this.cables = new Table(cables.columns);
    this.impacts = devices.impacts;
    this.#device = index(this.devices, "name");
  }

  /** The row of a device, or undefined. */
  device(name: string): number | undefined {
    return this.#device.get(name);
  }

  /** The row of a cable, or undefined. */
  cable(name: string): number | undefined {
    this.#cable ??= index(this.cables, "cable");
    return this.#cable.get(name);
  }

  /** Whether a device is a switch of another network than compute, or one that is neither a host nor a switch. */
  isBeside(name: string): boolean {
    const row = this.#device.get(name) ?? -1;
    return this.devices.text("network", row) !== "" || this.devices.text("role", row) === "device";
  }

  /** The host cables of a GPU, one for each plane, or for each connector; without switches, one for each link. */
  cablesOfGpu(gpu: string): number[] {
    this.#gpus ??= rowsByName(this.cables, "gpu");
    return this.#gpus.get(gpu) ?? [];
  }

  /** The GPUs of a cable: that at `a` and that at `b`, the same one where there is one; empty between switches. */
  gpusOf(row: number): [a: string, b: string] {
    const [a = "", b = a] = this.cables.text("gpu", row).split(" ");
    return [a, b];
  }

  /** The rows of the cables at a device, in order. */
  cablesAt(device: string): Int32Array {
    const row = this.#device.get(device);
    if (row === undefined) {
      return new Int32Array();
    }
    this.#ends ??= this.#index();
    return this.#ends.rows.subarray(this.#ends.first[row], this.#ends.first[row + 1]);
  }

  /** The GPUs whose cables end at a switch, in order, each once. */
  gpusAt(device: string): string[] {
    const names = Array.from(this.cablesAt(device), (row) => this.gpusOf(row)[this.cables.text("a_device", row) === device ? 0 : 1]);
    return [...new Set(names)].filter(Boolean);
  }

  /** What is lost when a device or a cable fails; undefined for a host, whose loss is not a failure of the network. */
  impact(thing: Thing): Impact | undefined {
    const [table, row] = thing.kind === "cable" ? [this.cables, this.cable(thing.name)] : [this.devices, this.device(thing.name)];
    const like = row === undefined ? "" : (table as Table<"alike">).text("alike", row);
    return like ? this.impacts[Number(like)] : undefined;
  }

  /** Sort the ends of all cables by device. */
  #index(): { first: Int32Array; rows: Int32Array } {
    const first = new Int32Array(this.devices.length + 1);
    const ends = this.#devicesOfEnds();
    for (const device of ends) {
      first[device + 1] = (first[device + 1] ?? 0) + 1;
    }
    first.forEach((count, at) => (first[at] = count + (first[at - 1] ?? 0)));
    const rows = new Int32Array(ends.length);
    const next = first.slice();
    ends.forEach((device, end) => {
      const place = next[device] ?? 0;
      rows[place] = end >> 1;
      next[device] = place + 1;
    });
    return { first, rows };
  }

  /** The device at each end: of cable r at 2r and 2r + 1. */
  #devicesOfEnds(): Int32Array {
    const found = new Int32Array(2 * this.cables.length);
    (["a_device", "b_device"] as const).forEach((name, side) => {
      const { values, codes } = this.cables.column(name);
      const rows = values.map((value) => this.#device.get(value) ?? 0);
      codes.forEach((code, cable) => (found[2 * cable + side] = rows[code] ?? 0));
    });
    return found;
  }
}

function index<Name extends string>(table: Table<Name>, column: Name): Map<string, number> {
  const { values, codes } = table.column(column);
  const found = new Map<string, number>();
  codes.forEach((code, row) => found.set(values[code] ?? "", row));
  return found;
}

function rowsByName<Name extends string>(table: Table<Name>, column: Name): Map<string, number[]> {
  const { values, codes } = table.column(column);
  const rows: number[][] = values.map(() => []);
  codes.forEach((code, row) => rows[code]?.push(row));
  const found = new Map<string, number[]>();
  values.forEach((value, at) => value.split(" ").forEach((name) => found.set(name, [...(found.get(name) ?? []), ...(rows[at] ?? [])])));
  found.forEach((own) => own.sort((a, b) => a - b));
  return found;
}
