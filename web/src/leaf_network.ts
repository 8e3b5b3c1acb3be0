/**
 * The network between leaves as the table of cables has it: ways that go up as far as they must and then down, with what has failed taken out.
 *
 * A link is a port to a port; where it takes several cables it is several rows of the table, and any one of them brings it down.
 */

import type { CableColumn, Fabric, Thing } from "./fabric";

/** The links of one rail on one plane; `rail` is empty where switches join rails. */
export interface Block {
  plane: string;
  rail: string;
}

/** A link that is taken upwards or downwards, by the rows of its cables. */
export interface Step {
  rows: number[];
  up: boolean;
}

/** The network without what has failed, asked block by block. */
export class Network {
  readonly #counted = new Map<string, number>();
  readonly #near = new Map<string, number[][]>();
  readonly #hasFailed: (row: number) => boolean;

  constructor(readonly fabric: Fabric, failed: Thing | null) {
    this.#hasFailed = failedRows(fabric, failed);
  }

  /** One cell of the table of cables. */
  text(column: CableColumn, row: number): string {
    return this.fabric.cables.text(column, row);
  }

  /** The rows of a GPU's cables on a plane; none where one of them, or the leaf, has failed. */
  port(gpu: string, plane: string): number[] {
    const rows = this.fabric.cablesOfGpu(gpu).filter((row) => this.text("plane", row) === plane);
    return rows.some(this.#hasFailed) ? [] : rows;
  }

  /** Count the equal ways from one leaf to another. */
  ways(block: Block, low: string, high: string): number {
    const key = `${block.plane} ${block.rail} ${low} ${high}`;
    const found = this.#counted.get(key) ?? (low === high ? 1 : this.#count(block, low, this.#down(block, high)));
    this.#counted.set(key, found);
    return found;
  }

  /** Follow the first of the equal ways. There must be one. */
  walk(block: Block, low: string, high: string): Step[] {
    const down = low === high ? new Map<string, Set<string>>() : this.#down(block, high);
    const steps: Step[] = [];
    for (let box = low, up = true; box !== high; ) {
      up &&= !down.has(box);
      const [rows] = this.#onwards(block, box, down, up);
      if (!rows) {
        throw new Error(`no way from ${low} to ${high}`);
      }
      steps.push({ rows, up });
      box = this.text(up ? "b_device" : "a_device", rows[0] ?? 0);
    }
    return steps;
  }

  /** The switches above a leaf that reach it by going down, each with the switches below it on the way. */
  #down(block: Block, leaf: string): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (let level = new Set([leaf]); level.size; ) {
      const above = new Set<string>();
      for (const lower of level) {
        for (const upper of this.#uppers(block, lower)) {
          found.set(upper, (found.get(upper) ?? new Set()).add(lower));
          above.add(upper);
        }
      }
      level = above;
    }
    return found;
  }

  /** The links that lead from a switch towards the leaf that `down` is of. */
  #onwards(block: Block, box: string, down: Map<string, Set<string>>, up: boolean): number[][] {
    if (up) {
      return this.#links(block, box, true).filter(([row]) => this.#leads(block, this.text("b_device", row ?? 0), down));
    }
    return this.#links(block, box, false).filter(([row]) => down.get(box)?.has(this.text("a_device", row ?? 0)));
  }

  /** Whether a switch above reaches the leaf, by going down or by going up once more. */
  #leads(block: Block, box: string, down: Map<string, Set<string>>): boolean {
    return down.has(box) || this.#uppers(block, box).some((upper) => down.has(upper));
  }

  /** Count the ways from a switch upwards, and down again. */
  #count(block: Block, box: string, down: Map<string, Set<string>>): number {
    if (down.has(box)) {
      return this.#descents(block, box, down);
    }
    return this.#sum(this.#onwards(block, box, down, true), "b_device", (upper) => this.#count(block, upper, down));
  }

  /** Count the ways from a switch down to the leaf. */
  #descents(block: Block, box: string, down: Map<string, Set<string>>): number {
    if (!down.has(box)) {
      return 1;
    }
    return this.#sum(this.#onwards(block, box, down, false), "a_device", (lower) => this.#descents(block, lower, down));
  }

  /** Add up what follows each link; what follows several links to one switch is counted once. */
  #sum(links: number[][], end: "a_device" | "b_device", follow: (box: string) => number): number {
    const times = new Map<string, number>();
    links.forEach(([row]) => {
      const box = this.text(end, row ?? 0);
      times.set(box, (times.get(box) ?? 0) + 1);
    });
    return [...times].reduce((sum, [box, often]) => sum + often * follow(box), 0);
  }

  #uppers(block: Block, box: string): string[] {
    return this.#links(block, box, true).map(([row]) => this.text("b_device", row ?? 0));
  }

  /** The working links of a switch to others above or below it, each as its rows. */
  #links(block: Block, box: string, up: boolean): number[][] {
    const key = `${block.plane} ${block.rail} ${up} ${box}`;
    const found = this.#near.get(key) ?? this.#find(block, box, up);
    this.#near.set(key, found);
    return found;
  }

  #find(block: Block, box: string, up: boolean): number[][] {
    const found = new Map<string, number[]>();
    for (const row of this.fabric.cablesAt(box)) {
      if (this.#belongs(block, row) && this.text(up ? "a_device" : "b_device", row) === box) {
        const port = linkOf(this.fabric, row);
        found.set(port, [...(found.get(port) ?? []), row]);
      }
    }
    return [...found.values()].filter((rows) => !rows.some(this.#hasFailed));
  }

  #belongs(block: Block, row: number): boolean {
    return this.text("tier", row) !== "1" && this.text("plane", row) === block.plane && this.text("rail", row) === block.rail;
  }
}

/** The link of a cable, by its lower port. */
function linkOf(fabric: Fabric, row: number): string {
  return `${fabric.cables.text("a_device", row)} ${fabric.cables.text("a_interface", row)}`;
}

/** Which rows have failed: those at a switch, or all of the link of a cable. */
function failedRows(fabric: Fabric, failed: Thing | null): (row: number) => boolean {
  if (failed?.kind === "device") {
    return (row) => fabric.cables.text("a_device", row) === failed.name || fabric.cables.text("b_device", row) === failed.name;
  }
  const row = failed?.kind === "cable" ? fabric.cable(failed.name) : undefined;
  const link = row === undefined ? null : linkOf(fabric, row);
  return (other) => link !== null && linkOf(fabric, other) === link;
}
