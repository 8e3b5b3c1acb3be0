/** The panel of a host or a switch. */

import { rowTitle } from "../cables/row_words";
import type { Fabric } from "../fabric";
import { Name, Rail } from "../parts";
import { grouped, usePageState, type PageState } from "../page_state";
import { Actions, Facts, Failing } from "./facts";
import { isWhole, Partial } from "./partial";
import { toCables, toDrawing, toRack, toRoute, toSwitch } from "./section_links";

/** GPUs that are named; of more there is only a count. */
const MOST = 64;

/** A device, by its row. */
export function Device({ fabric, name, row }: { fabric: Fabric; name: string; row: number }) {
  const state = usePageState();
  const cell = (column: "role" | "network" | "model" | "rail" | "plane" | "rack" | "unit" | "height") => fabric.devices.text(column, row);
  const rack = cell("rack");
  const cables = fabric.cablesAt(name).length;
  const beside = fabric.isBeside(name);
  return (
    <>
      <Facts
        facts={[
          ["Role", cell("role") === "planned" ? "planned, not installed yet" : cell("role")],
          ["Network", cell("network")],
          ["Model", cell("model")],
          ["Rail", cell("rail") && <Rail rail={cell("rail")} />],
          ["Plane", state.page.counts.planes > 1 ? cell("plane") : ""],
          ["Rack", rack && <Name thing={{ kind: "rack", name: rack }} />],
          ["Units", units(Number(cell("unit")), Number(cell("height")))],
          [rowTitle(state.page), cables > 0 || isWhole(state) ? grouped(cables) : ""],
        ]}
      />
      <Partial />
      <Actions actions={actions(state, name, cell("role"), cell("rail"), cell("plane"), rack, beside)} />
      <Gpus role={cell("role")} gpus={fabric.gpusAt(name)} />
      <Failing thing={{ kind: "device", name }} />
    </>
  );
}

function actions(state: PageState, name: string, role: string, rail: string, plane: string, rack: string, beside: boolean): [string, (() => void) | null][] {
  const installed = role !== "planned";
  const box = installed && role !== "host" && !beside;
  return [
    ["Its cables", installed ? toCables(state, name) : null],
    ["Front and files", box ? toSwitch(state, name) : null],
    ["Its rack", toRack(state, rack)],
    ["Route without it", box ? toRoute(state, { kind: "device", name }) : null],
    ["In the drawing", box ? toDrawing(state, rail, plane) : null],
  ];
}

/** The GPUs that a device serves, or holds. */
function Gpus({ role, gpus }: { role: string; gpus: string[] }) {
  if (gpus.length === 0) {
    return null;
  }
  const more = gpus.length - MOST;
  return (
    <div data-testid="gpus">
      <h3>{role === "host" ? `Holds ${grouped(gpus.length)} GPUs` : `Serves ${grouped(gpus.length)} GPUs`}</h3>
      <ul class="gpus">
        {gpus.slice(0, MOST).map((gpu) => (
          <li key={gpu}>
            <Name thing={{ kind: "gpu", name: gpu }} />
          </li>
        ))}
        {more > 0 && <li>and {grouped(more)} more</li>}
      </ul>
    </div>
  );
}

function units(unit: number, height: number): string {
  if (!unit) {
    return "";
  }
  return height > 1 ? `${unit} to ${unit + height - 1}` : `${unit}`;
}
