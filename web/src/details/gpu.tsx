/** The panel of a GPU. */

import type { Fabric } from "../fabric";
import { Name, Rail } from "../parts";
import { domainOf, railOf, shapeOf } from "../relays";
import { go, usePageState, type PageState } from "../page_state";
import { Actions, Facts } from "./facts";
import { Partial } from "./partial";
import { hasSwitches, toDrawing } from "./section_links";

/** A GPU: where it is, and what leads from it into the fabric. */
export function Gpu({ fabric, name, gpu }: { fabric: Fabric; name: string; gpu: number }) {
  const state = usePageState();
  const { counts } = state.page;
  const shape = shapeOf(state.page);
  const rows = fabric.cablesOfGpu(name);
  const rail = String(railOf(shape, gpu));
  const host = fabric.devices.text("name", Math.floor(gpu / counts.host_gpus));
  return (
    <>
      <Facts
        facts={[
          ["HB domain", `d${domainOf(shape, gpu)}, of ${counts.domain_gpus} GPUs`],
          ["Rank", `${gpu % counts.domain_gpus}`],
          ["Rail", <Rail rail={rail} />],
          ["Host", host && <Name thing={{ kind: "device", name: host }} />],
        ]}
      />
      <Partial />
      <Actions actions={actions(state, name, rail, rows[0] === undefined ? "0" : fabric.cables.text("plane", rows[0]))} />
      {rows.length > 0 && <h3>{rows.length === 1 ? "Its cable" : "Its cables"}</h3>}
      <ul class="cables">
        {rows.map((row) => (
          <Strand key={row} fabric={fabric} row={row} name={name} />
        ))}
      </ul>
      {rows.length === 0 && <p>The page holds no cable of this GPU.</p>}
    </>
  );
}

function actions(state: PageState, name: string, rail: string, plane: string): [string, (() => void) | null][] {
  const [from, to] = state.ends;
  const set = (ends: [string, string]) =>
    hasSwitches(state.page)
      ? () => {
          state.setEnds(ends);
          go("route");
        }
      : null;
  return [
    ["Route from here", set([name, to])],
    ["Route to here", set([from, name])],
    ["In the drawing", toDrawing(state, rail, plane)],
  ];
}

/** A cable of a GPU and the leaf, or the GPU of another host, that it leads to; its plane, where there are several. */
function Strand({ fabric, row, name }: { fabric: Fabric; row: number; name: string }) {
  const { counts } = usePageState().page;
  const cell = (column: "cable" | "plane" | "a_device" | "b_device") => fabric.cables.text(column, row);
  const [a, b] = fabric.gpusOf(row);
  const far = [a, b].find((gpu) => gpu !== name);
  return (
    <li>
      {counts.planes > 1 && `Plane ${cell("plane")}: `}
      <Name thing={{ kind: "cable", name: cell("cable") }} /> to {far && <><Name thing={{ kind: "gpu", name: far }} /> in </>}
      <Name thing={{ kind: "device", name: cell(far && far === a ? "a_device" : "b_device") }} />
    </li>
  );
}
