/** The panel of a GPU. */

import type { Fabric } from "../fabric";
import { Name, Rail } from "../parts";
import { domainOf, railOf, shapeOf } from "../relaying";
import { go, useWorld, type World } from "../world";
import { Deeds, Facts } from "./facts";
import { Partial } from "./partial";
import { hasSwitches, toDrawing } from "./ways";

/** A GPU: where it is, and what leads from it into the fabric. */
export function Gpu({ fabric, name, gpu }: { fabric: Fabric; name: string; gpu: number }) {
  const world = useWorld();
  const { counts } = world.page;
  const shape = shapeOf(world.page);
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
      <Deeds deeds={deeds(world, name, rail, rows[0] === undefined ? "0" : fabric.cables.text("plane", rows[0]))} />
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

function deeds(world: World, name: string, rail: string, plane: string): [string, (() => void) | null][] {
  const [from, to] = world.ends;
  const set = (ends: [string, string]) =>
    hasSwitches(world.page)
      ? () => {
          world.setEnds(ends);
          go("route");
        }
      : null;
  return [
    ["Route from here", set([name, to])],
    ["Route to here", set([from, name])],
    ["In the drawing", toDrawing(world, rail, plane)],
  ];
}

/** A cable of a GPU and the leaf, or the GPU of another host, that it leads to; its plane, where there are several. */
function Strand({ fabric, row, name }: { fabric: Fabric; row: number; name: string }) {
  const { counts } = useWorld().page;
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
