/**
 * The paths from one GPU to another, as `fabricgen route --all-kinds` prints them, from the table of cables alone.
 *
 * Of equal paths the first is shown: which of them a flow takes is up to the hash of the switches.
 */

import { type Block, Network, type Step } from "./leaf_network";
import type { Fabric, Thing } from "./fabric";
import { domainOf, exits, gpuName, type Kind, kindOf, type Leg, legs, railOf, type Shape } from "./relays";

/** One station of a path, and what leads to it: the cables of a link, the HB domain, or nothing where a GPU and its own NIC port meet. */
export interface Hop {
  kind: "gpu" | "nic" | "hb-domain" | "leaf" | "spine" | "core";
  name: string;
  /** The host or switch that it is a part of. */
  device: string;
  rail: number;
  plane: string;
  via: "cable" | "hb" | "nic" | "";
  cables: string[];
  /** The interface that the step leaves by, and the one that it enters by. */
  out: string;
  into: string;
}

/** A path. `equal` counts the paths of equal cost over all planes; `relays` are GPUs. */
export interface Path {
  kind: Kind;
  hops: Hop[];
  relays: string[];
  links: number;
  equal: number;
}

const TIERS: Record<string, Hop["kind"]> = { "1": "leaf", "2": "spine", "3": "core" };
const NOTHING = { device: "", rail: -1, plane: "", cables: [] as string[], out: "", into: "" };

/** The routes of a fabric without what has failed. */
export class Router {
  readonly #network: Network;

  constructor(readonly fabric: Fabric, readonly shape: Shape, failed: Thing | null) {
    this.#network = new Network(fabric, failed);
  }

  /** One path of every kind that there is, in the order of preference; none where nothing joins the two. */
  paths(source: number, target: number): Path[] {
    if (domainOf(this.shape, source) === domainOf(this.shape, target)) {
      return [this.#path(source, target, "direct", [])];
    }
    const kinds = new Set(this.shape.relays.kinds.map(([kind]) => kind)).size;
    const found = new Map<Kind, Leg[]>();
    for (const leg of legs(this.shape, source, target)) {
      const kind = kindOf(this.shape, source, target, leg);
      if (!found.has(kind) && this.#planes(leg).length) {
        found.set(kind, [leg]);
      }
      if (found.size === kinds || (found.has("third-rail-relay") && !this.shape.spans_rails)) {
        break;
      }
    }
    const around = found.size ? null : this.#overOtherDomains(source, target);
    const ways: [Kind, Leg[]][] = around ? [["third-domain-relay", around]] : [...found];
    return ways.map(([kind, way]) => this.#path(source, target, kind, way));
  }

  /** Whether the table has the cables of a GPU: of a very long fabric a page holds a part only. */
  holds(gpu: number): boolean {
    return this.fabric.cablesOfGpu(gpuName(this.shape, gpu)).length > 0;
  }

  /** Whether a GPU, or one of its HB domain, has a working port. */
  hasPort(gpu: number): boolean {
    return [...exits(this.shape, gpu, railOf(this.shape, gpu))].some((each) => this.#ports(each).length > 0);
  }

  /** The planes, by number, on which both ends of a leg have a working port and a way joins them. */
  #planes(leg: Leg): number[] {
    return Array.from({ length: this.shape.planes }, (_, plane) => plane).filter((plane) => this.#ways(leg, plane) > 0);
  }

  #ports(gpu: number): number[] {
    const name = gpuName(this.shape, gpu);
    return Array.from({ length: this.shape.planes }, (_, plane) => plane).filter((plane) => this.#network.port(name, String(plane)).length > 0);
  }

  #ways(leg: Leg, plane: number): number {
    const [low, high] = [this.#leaf(leg.exit, plane), this.#leaf(leg.landing, plane)];
    return low && high ? this.#network.ways(this.#block(leg, plane), low, high) : 0;
  }

  /** The leaf that a working port of a GPU is cabled to; empty where the port has failed. */
  #leaf(gpu: number, plane: number): string {
    const [row] = this.#network.port(gpuName(this.shape, gpu), String(plane));
    return row === undefined ? "" : this.#network.text("b_device", row);
  }

  #block(leg: Leg, plane: number): Block {
    return { plane: String(plane), rail: this.shape.spans_rails ? "" : String(railOf(this.shape, leg.exit)) };
  }

  /** Follow a way hop by hop. */
  #path(source: number, target: number, kind: Kind, way: Leg[]): Path {
    const hops = [this.#gpu(source, "")];
    let equal = 1;
    for (const leg of way) {
      const planes = this.#planes(leg);
      equal *= planes.reduce((sum, plane) => sum + this.#ways(leg, plane), 0);
      hops.push(...this.#inside(hops, leg.exit), ...this.#across(leg, planes[0] ?? 0));
    }
    hops.push(...this.#inside(hops, target));
    const relays = new Set(way.flatMap((leg) => [leg.exit, leg.landing]).filter((gpu) => gpu !== source && gpu !== target));
    const names = Array.from(relays, (gpu) => gpuName(this.shape, gpu));
    return { kind, hops, relays: names, equal, links: hops.filter((hop) => hop.via === "cable").length };
  }

  /** Go to a GPU of the HB domain that a path has come to; nowhere where it is there. */
  #inside(hops: Hop[], gpu: number): Hop[] {
    if (hops[hops.length - 1]?.name === gpuName(this.shape, gpu)) {
      return [];
    }
    return [{ ...NOTHING, kind: "hb-domain", name: `hb:${domainOf(this.shape, gpu)}`, via: "hb" }, this.#gpu(gpu, "hb")];
  }

  /** Cross the network on a plane. */
  #across(leg: Leg, plane: number): Hop[] {
    const [low, high] = [this.#leaf(leg.exit, plane), this.#leaf(leg.landing, plane)];
    const up: Step = { rows: this.#network.port(gpuName(this.shape, leg.exit), String(plane)), up: true };
    const down: Step = { rows: this.#network.port(gpuName(this.shape, leg.landing), String(plane)), up: false };
    const between = this.#network.walk(this.#block(leg, plane), low, high);
    const port = this.#nic(leg.exit, plane, { rows: [], up: true });
    return [port, ...[up, ...between].map((step) => this.#switch(step, leg)), this.#nic(leg.landing, plane, down), this.#gpu(leg.landing, "nic")];
  }

  #gpu(gpu: number, via: Hop["via"]): Hop {
    return { ...NOTHING, kind: "gpu", name: gpuName(this.shape, gpu), device: this.#host(gpu), rail: railOf(this.shape, gpu), via };
  }

  #nic(gpu: number, plane: number, step: Step): Hop {
    const via = step.rows.length ? ("cable" as const) : ("nic" as const);
    const place = { device: this.#host(gpu), rail: railOf(this.shape, gpu), plane: String(plane) };
    return { kind: "nic", name: `${gpuName(this.shape, gpu)}/${plane}`, ...place, via, ...this.#link(step) };
  }

  #switch(step: Step, leg: Leg): Hop {
    const row = step.rows[0] ?? 0;
    const tier = Number(this.#network.text("tier", row)) - (step.up ? 0 : 1);
    const name = this.#network.text(step.up ? "b_device" : "a_device", row);
    const rail = this.shape.spans_rails ? -1 : railOf(this.shape, leg.exit);
    const plane = this.#network.text("plane", row);
    return { kind: TIERS[tier] ?? "leaf", name, device: name, rail, plane, via: "cable", ...this.#link(step) };
  }

  /** The cables of a link, and its interfaces in the direction in which it is taken. */
  #link({ rows, up }: Step): Pick<Hop, "cables" | "out" | "into"> {
    const [lower, upper] = (["a_interface", "b_interface"] as const).map((end) => (rows[0] === undefined ? "" : this.#network.text(end, rows[0])));
    const cables = rows.map((row) => this.#network.text("cable", row));
    return { cables, out: (up ? lower : upper) ?? "", into: (up ? upper : lower) ?? "" };
  }

  #host(gpu: number): string {
    const [row] = this.fabric.cablesOfGpu(gpuName(this.shape, gpu));
    return row === undefined ? "" : this.#network.text("a_device", row);
  }

  /** Search for a way through other HB domains, the fewest first, and among equals those that follow the source's in number. */
  #overOtherDomains(source: number, target: number): Leg[] | null {
    if (!this.hasPort(source) || !this.hasPort(target)) {
      return null;
    }
    const came = new Map([[domainOf(this.shape, source), { at: source, way: [] as Leg[] }]]);
    for (const { at, way } of came.values()) {
      for (const leg of this.#entered(at, came)) {
        const next = domainOf(this.shape, leg.landing);
        came.set(next, { at: leg.landing, way: [...way, leg] });
        if (next === domainOf(this.shape, target)) {
          return [...way, leg];
        }
      }
    }
    return null;
  }

  /** One crossing into each domain that is not known yet and that some GPU of this GPU's domain reaches. */
  *#entered(at: number, known: Map<number, unknown>): Generator<Leg> {
    const domains = this.shape.gpus / this.shape.domain_gpus;
    const working = [...exits(this.shape, at, railOf(this.shape, at))].filter((gpu) => this.#ports(gpu).length);
    for (let step = 1; step < domains; step += 1) {
      const domain = (domainOf(this.shape, at) + step) % domains;
      const leg = known.has(domain) ? undefined : this.#into(working, domain);
      if (leg) {
        yield leg;
      }
    }
  }

  /** The first working crossing from some GPUs into a domain. */
  #into(working: number[], domain: number): Leg | undefined {
    for (let rank = 0; rank < this.shape.domain_gpus; rank += 1) {
      const landing = domain * this.shape.domain_gpus + rank;
      const meets = (exit: number) => this.shape.spans_rails || railOf(this.shape, exit) === railOf(this.shape, landing);
      const exit = working.find((gpu) => meets(gpu) && this.#planes({ exit: gpu, landing }).length);
      if (exit !== undefined) {
        return { exit, landing };
      }
    }
    return undefined;
  }
}
