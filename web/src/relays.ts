/**
 * Which GPU carries a packet out of its HB domain, and on which GPU of the far domain it may land, in the order of `RelayOrder`.
 *
 * GPUs count over all HB domains. A GPU's rail slot is its place among the GPUs of its domain that share its rail.
 */

import type { Fact, Kind, Page, RelayOrder } from "./model";

/** The figures that the rules are made of. */
export interface Shape {
  gpus: number;
  domain_gpus: number;
  rails: number;
  planes: number;
  spans_rails: boolean;
  relays: RelayOrder;
}

/** Those of a page. */
export function shapeOf(page: Page): Shape {
  const { gpus, domain_gpus, rails, planes } = page.counts;
  return { gpus, domain_gpus, rails, planes, spans_rails: page.spans_rails, relays: page.relays };
}

export type { Kind };

/** One crossing of the network: out of a NIC of `exit`, into one of `landing`. */
export interface Leg {
  exit: number;
  landing: number;
}

/** Name a GPU. */
export function gpuName(shape: Shape, gpu: number): string {
  return `d${Math.floor(gpu / shape.domain_gpus)}-g${gpu % shape.domain_gpus}`;
}

/** The GPU that a reader types, with or without blanks around it. */
export function typedGpu(shape: Shape, text: string): number | undefined {
  return findGpu(shape, text.trim());
}

/** The GPU of a name; undefined where there is none of that name. */
export function findGpu(shape: Shape, name: string): number | undefined {
  const found = /^d(0|[1-9]\d{0,8})-g(0|[1-9]\d{0,8})$/.exec(name);
  const [domain, rank] = [Number(found?.[1]), Number(found?.[2])];
  return found && domain < shape.gpus / shape.domain_gpus && rank < shape.domain_gpus ? domain * shape.domain_gpus + rank : undefined;
}

/** The HB domain of a GPU. */
export function domainOf(shape: Shape, gpu: number): number {
  return Math.floor(gpu / shape.domain_gpus);
}

/** The rail of a GPU. */
export function railOf(shape: Shape, gpu: number): number {
  return (gpu % shape.domain_gpus) % shape.rails;
}

/** The crossings from the domain of one GPU to that of another, best first, with those that have failed. */
export function* legs(shape: Shape, source: number, target: number): Generator<Leg> {
  for (const exit of exits(shape, source, railOf(shape, target))) {
    for (const landing of landings(shape, target, railOf(shape, exit))) {
      if (exit !== landing) {
        yield { exit, landing };
      }
    }
  }
}

/** The GPUs of its domain over which a GPU may send to one of `rail`, best first. */
export function exits(shape: Shape, gpu: number, rail: number): Set<number> {
  const found = shape.relays.exits.map(([on, offset, third]) => {
    switch (on) {
      case "itself":
        return gpu;
      case "target":
        return onRail(shape, gpu, rail, offset);
      case "source":
        return onRail(shape, gpu, railOf(shape, gpu), offset);
      default:
        return onRail(shape, gpu, (rail + 1 + ((domainOf(shape, gpu) + third) % (shape.rails - 1))) % shape.rails, offset);
    }
  });
  return new Set(found);
}

/** The GPUs of the target's domain on which a packet that travels on `rail` may land, best first. */
function landings(shape: Shape, target: number, rail: number): Set<number> {
  return new Set(shape.relays.landings.map((offset) => (offset === null ? target : onRail(shape, target, rail, offset))));
}

/** The GPU of a GPU's domain that is on a rail, `offset` rail slots after its own. */
function onRail(shape: Shape, gpu: number, rail: number, offset: number): number {
  const slots = shape.domain_gpus / shape.rails;
  const own = Math.floor((gpu % shape.domain_gpus) / shape.rails);
  return domainOf(shape, gpu) * shape.domain_gpus + ((own + offset) % slots) * shape.rails + rail;
}

/** The kind of a path of one leg. */
export function kindOf(shape: Shape, source: number, target: number, leg: Leg): Kind {
  const rail = railOf(shape, leg.exit);
  const facts: Record<Fact, boolean> = {
    "leaves-source": leg.exit === source,
    "lands-on-target": leg.landing === target,
    "target-rail": rail === railOf(shape, target),
    "source-rail": rail === railOf(shape, source),
  };
  return shape.relays.kinds.find(([, needed]) => needed.every((fact) => facts[fact]))?.[0] ?? "direct";
}
