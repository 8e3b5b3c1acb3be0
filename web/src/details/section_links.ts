/** The links from the panel to the sections. */

import type { Thing } from "../fabric";
import type { Page } from "../model";
import { EVERYTHING, go, type PageState } from "../page_state";

/** Narrow the cables to those of a device. */
export function toCables(state: PageState, device: string): () => void {
  return () => {
    state.setFilter({ ...EVERYTHING, device });
    go("cables");
  };
}

/** Show the front and the files of a switch. */
export function toSwitch(state: PageState, name: string): () => void {
  return () => {
    state.setShownSwitch(name);
    go("switches");
  };
}

/** Whether the fabric has switches: without them, the page has no fronts and draws no routes. */
export function hasSwitches(page: Page): boolean {
  return page.tiers > 0;
}

/** Draw the route without a switch or a cable; null where the page draws none. */
export function toRoute(state: PageState, failed: Thing): (() => void) | null {
  if (!hasSwitches(state.page)) {
    return null;
  }
  return () => {
    state.setFailed(failed);
    go("route");
  };
}

/** Show a rack; null where racks are left open. */
export function toRack(state: PageState, rack: string): (() => void) | null {
  if (!rack || state.page.rack_units === 0) {
    return null;
  }
  return () => {
    state.setShownRack(rack);
    go("racks");
  };
}

/** Show the drawing of a rail and plane; null where there is none. */
export function toDrawing(state: PageState, rail: string, plane: string): (() => void) | null {
  const name = drawingOf(state.page, rail, plane);
  if (!state.page.drawings.rails.includes(name)) {
    return null;
  }
  return () => {
    state.setDrawing(name);
    go("topology");
  };
}

/** The name of the drawing that shows a rail on a plane. */
function drawingOf(page: Page, rail: string, plane: string): string {
  const words = page.spans_rails || rail === "" ? [] : [`rail-${rail}`];
  return [...words, ...(page.counts.planes > 1 ? [`plane-${plane}`] : [])].join("-") || "fabric";
}
