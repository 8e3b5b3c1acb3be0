/**
 * Which GPU carries a packet out of its HB domain, and on which GPU of the far domain it may land: the rules of `fabricgen.analysis.forwarding.relay_rules`.
 *
 * GPUs count over all HB domains. A GPU's turn is its place among the GPUs of its domain that share its rail.
 */

import type { Page } from "./model";

/** The figures that the rules are made of. */
export interface Shape {
  gpus: number;
  domain_gpus: number;
  rails: number;
  planes: number;
  spans_rails: boolean;
}

/** Those of a page. */
export function shapeOf(page: Page): Shape {
  const { gpus, domain_gpus, rails, planes } = page.counts;
  return { gpus, domain_gpus, rails, planes, spans_rails: page.spans_rails };
}

export type Kind = "direct" | "source-relay" | "destination-relay" | "third-rail-relay" | "third-domain-relay";

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

/** The crossings from the domain of one GPU to that of another, best first, whether they live or not. */
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
export function* exits(shape: Shape, gpu: number, rail: number): Generator<number> {
  if (shape.spans_rails) {
    yield gpu;
  }
  for (const other of rails(shape, gpu, rail)) {
    for (const found of turns(shape, gpu, other)) {
      if (!(shape.spans_rails && found === gpu)) {
        yield found;
      }
    }
  }
}

/** The GPUs of the target's domain on which a packet that travels on `rail` may land, best first. */
function* landings(shape: Shape, target: number, rail: number): Generator<number> {
  if (shape.spans_rails) {
    yield target;
  }
  for (const found of turns(shape, target, rail)) {
    if (!(shape.spans_rails && found === target)) {
      yield found;
    }
  }
}

/** Every rail in the order in which a GPU tries them for `rail`; the third ones begin elsewhere in each domain. */
function* rails(shape: Shape, gpu: number, rail: number): Generator<number> {
  const own = railOf(shape, gpu);
  const others = shape.rails - 1;
  yield rail;
  if (own !== rail) {
    yield own;
  }
  for (let step = 0; step < others; step += 1) {
    const third = (rail + 1 + ((domainOf(shape, gpu) + step) % others)) % shape.rails;
    if (third !== own) {
      yield third;
    }
  }
}

/** The GPUs of a GPU's domain that are on a rail, the one of its own turn first. */
function* turns(shape: Shape, gpu: number, rail: number): Generator<number> {
  const ranks = shape.domain_gpus / shape.rails;
  const turn = Math.floor((gpu % shape.domain_gpus) / shape.rails);
  const first = domainOf(shape, gpu) * shape.domain_gpus + rail;
  for (let step = 0; step < ranks; step += 1) {
    yield first + ((turn + step) % ranks) * shape.rails;
  }
}

/** Name a way of one leg by the rail that it travels: the destination's, the source's, or a third. */
export function kindOf(shape: Shape, source: number, target: number, leg: Leg): Kind {
  if (leg.landing === target) {
    return leg.exit === source ? "direct" : "source-relay";
  }
  if (leg.exit === source) {
    return "destination-relay";
  }
  const rail = railOf(shape, leg.exit);
  if (rail === railOf(shape, target)) {
    return "source-relay";
  }
  return rail === railOf(shape, source) ? "destination-relay" : "third-rail-relay";
}
