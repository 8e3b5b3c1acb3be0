/** The ways from the panel to the sections. */

import type { Thing } from "../fabric";
import type { Page } from "../model";
import { EVERYTHING, go, type World } from "../world";

/** Narrow the cables to those of a device. */
export function toCables(world: World, device: string): () => void {
  return () => {
    world.setFilter({ ...EVERYTHING, device });
    go("cables");
  };
}

/** Show the front and the files of a switch. */
export function toSwitch(world: World, name: string): () => void {
  return () => {
    world.setShownSwitch(name);
    go("switches");
  };
}

/** Whether the fabric has switches: without them, the page has no fronts and draws no routes. */
export function hasSwitches(page: Page): boolean {
  return page.tiers > 0;
}

/** Draw the route without a switch or a cable; null where the page draws none. */
export function toRoute(world: World, failed: Thing): (() => void) | null {
  if (!hasSwitches(world.page)) {
    return null;
  }
  return () => {
    world.setFailed(failed);
    go("route");
  };
}

/** Show a rack; null where racks are left open. */
export function toRack(world: World, rack: string): (() => void) | null {
  if (!rack || world.page.rack_units === 0) {
    return null;
  }
  return () => {
    world.setShownRack(rack);
    go("racks");
  };
}

/** Show the drawing of a rail and plane; null where there is none. */
export function toDrawing(world: World, rail: string, plane: string): (() => void) | null {
  const name = drawingOf(world.page, rail, plane);
  if (!world.page.drawings.rails.includes(name)) {
    return null;
  }
  return () => {
    world.setDrawing(name);
    go("topology");
  };
}

/** The name of the drawing that shows a rail on a plane. */
function drawingOf(page: Page, rail: string, plane: string): string {
  const words = page.spans_rails || rail === "" ? [] : [`rail-${rail}`];
  return [...words, ...(page.counts.planes > 1 ? [`plane-${plane}`] : [])].join("-") || "fabric";
}
