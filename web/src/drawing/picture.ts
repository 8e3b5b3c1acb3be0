/** A drawing with its names: that of a rail is stamped out of the drawing of its block, that of a stripe has names already. */

import type { Fabric, Thing } from "../fabric";
import type { Box, Drawing, Page, Rails, Stripes, Stroke } from "../model";
import { domainOf, findGpu, gpuName, type Shape, shapeOf } from "../relays";
import { grouped } from "../page_state";

export type AnyBox = Box<number | string>;

/** What is drawn. `rail` is that of all of it, or -1. */
export interface Picture {
  name: string;
  title: string;
  family: "rails" | "stripes" | "networks";
  rail: number;
  drawing: Drawing<number | string>;
  /** The name of one member of a box. */
  nameOf(box: AnyBox, at: number): string;
}

/** The drawing of a name, or of the first rail where there is none of that name; null while what it takes is read. */
export function pictureOf(name: string, page: Page, fabric: Fabric | null, rails: Rails, stripes: Stripes | null): Picture | null {
  const stripe = stripes?.[name];
  const family = page.drawings.networks.includes(name) ? "networks" : "stripes";
  if (page.drawings[family].includes(name)) {
    return stripe ? { name, title: stripe.title, family, rail: -1, drawing: stripe, nameOf: (box, at) => String(box.members[at] ?? "") } : null;
  }
  const named = rails.named.find((each) => each.name === name) ?? rails.named[0];
  const drawing = named && rails.blocks[named.block];
  const known = fabric !== null || named?.unit === 0;
  return drawing && known ? { ...named, family: "rails", drawing, nameOf: stamp(named, rails, shapeOf(page), fabric) } : null;
}

/** Name the members of boxes of one rail: a switch by its place among the boxes of its unit, a GPU by its number on rail 0. */
function stamp(named: Rails["named"][number], rails: Rails, shape: Shape, fabric: Fabric | null): Picture["nameOf"] {
  const first = rails.first + named.unit * rails.boxes;
  const ofSwitch = (member: number) => (named.unit === 0 ? rails.names[member] : fabric?.devices.text("name", first + member)) ?? "";
  return (box, at) => {
    const member = Number(box.members[at]);
    return box.kind === "switch" ? ofSwitch(member) : gpuName(shape, member + Math.max(0, named.rail));
  };
}

/** Every box, from the top left. */
export function boxesOf(picture: Picture): AnyBox[] {
  return picture.drawing.rows.flatMap((row) => row.boxes);
}

/** The text in a box: a name, or the first, the last and how many. */
export function textsOf(picture: Picture, box: AnyBox, what: string): string[] {
  const [first, last] = [picture.nameOf(box, 0), picture.nameOf(box, box.members.length - 1)];
  return box.members.length === 1 ? [first] : [first, `to ${last}`, `${grouped(box.members.length)} ${what}`];
}

/** A box in one line. */
export function labelOf(picture: Picture, box: AnyBox): string {
  const [first, last] = [picture.nameOf(box, 0), picture.nameOf(box, box.members.length - 1)];
  return box.members.length === 1 ? first : `${first} to ${last}`;
}

/** The names of a box's first members. */
export function membersOf(picture: Picture, box: AnyBox, most: number): string[] {
  return box.members.slice(0, most).map((_, at) => picture.nameOf(box, at));
}

/** What a stroke stands for, in a line; its rail where the picture shows several. */
export function linksOf(picture: Picture, stroke: Stroke): string {
  const rail = stroke.rail >= 0 && picture.rail < 0 ? `, rail ${stroke.rail}` : "";
  return `${grouped(stroke.links)} x ${stroke.speed}${rail}`;
}

/** What the panel at the side can show of a member; an HB domain is nothing that it shows. */
export function thingOf(box: AnyBox, name: string): Thing | null {
  return box.kind === "domain" ? null : { kind: box.kind === "gpu" ? "gpu" : "device", name };
}

/** The box that a thing is drawn in. */
export function boxWith(picture: Picture, thing: Thing, shape: Shape): AnyBox | undefined {
  const gpu = thing.kind === "gpu" ? findGpu(shape, thing.name) : undefined;
  const domain = gpu === undefined ? "" : `d${domainOf(shape, gpu)}`;
  return boxesOf(picture).find((box) => {
    const wanted = box.kind === "domain" ? domain : thingOf(box, thing.name)?.kind === thing.kind ? thing.name : "";
    return wanted && box.members.some((_, at) => picture.nameOf(box, at) === wanted);
  });
}

/** The stripes and networks that a leaf is drawn in. */
export function stripesWith(leaf: string, stripes: Stripes): string[] {
  const holds = (drawing: Drawing<string>) => drawing.rows.some((row) => row.boxes.some((box) => box.members.includes(leaf)));
  return Object.entries(stripes).flatMap(([name, drawing]) => (holds(drawing) ? [name] : []));
}

/** The rails that a switch is drawn in: several where they share it. */
export function railsWith(device: string, rails: Rails, fabric: Fabric): string[] {
  const row = (fabric.device(device) ?? -1) - rails.first;
  const [unit, place] = [Math.floor(row / rails.boxes), row % rails.boxes];
  const holds = (drawing?: Drawing<number>) => drawing?.rows.some((each) => each.boxes.some((box) => box.kind === "switch" && box.members.includes(place)));
  return rails.named.filter((named) => row >= 0 && named.unit === unit && holds(rails.blocks[named.block])).map((named) => named.name);
}
