/** The panel of a cable. */

import type { CableColumn, Fabric } from "../fabric";
import { Name, Rail } from "../parts";
import { usePageState } from "../page_state";
import { Actions, Facts, Failing } from "./facts";
import { toRoute } from "./section_links";

/** A cable, by its row: both ends, what it is, and the GPU that it serves. */
export function Cable({ fabric, name, row }: { fabric: Fabric; name: string; row: number }) {
  const state = usePageState();
  const cell = (column: CableColumn) => fabric.cables.text(column, row);
  const [gpu, other] = fabric.gpusOf(row);
  const compute = ["", "compute"].includes(cell("network"));
  return (
    <>
      <End fabric={fabric} row={row} side="a" title="Lower end" />
      <End fabric={fabric} row={row} side="b" title="Upper end" />
      <h3>Cable</h3>
      <Facts
        facts={[
          ["Network", cell("network")],
          ["Rail", cell("rail") && <Rail rail={cell("rail")} />],
          ["Plane", state.page.counts.planes > 1 ? cell("plane") : ""],
          ["GPU", gpu && <Name thing={{ kind: "gpu", name: gpu }} />],
          ["Other GPU", other !== gpu && <Name thing={{ kind: "gpu", name: other }} />],
          ["Speed", cell("speed")],
          ["Length", cell("length_m") && `${cell("length_m")} m`],
          ["Medium", cell("medium")],
          ["Part", cell("part")],
        ]}
      />
      <Actions actions={[["Route without it", compute ? toRoute(state, { kind: "cable", name }) : null]]} />
      <Failing thing={{ kind: "cable", name }} />
    </>
  );
}

/** One end of a cable. */
function End({ fabric, row, side, title }: { fabric: Fabric; row: number; side: "a" | "b"; title: string }) {
  const cell = (column: "device" | "interface" | "port" | "rack" | "unit" | "transceiver") => fabric.cables.text(`${side}_${column}`, row);
  const rack = cell("rack");
  return (
    <>
      <h3>{title}</h3>
      <Facts
        facts={[
          ["Device", <Name thing={{ kind: "device", name: cell("device") }} />],
          ["Interface", <span class="mono">{cell("interface")}</span>],
          ["Port", cell("port")],
          ["Rack", rack && <Name thing={{ kind: "rack", name: rack }} />],
          ["Unit", cell("unit")],
          ["Module", cell("transceiver")],
        ]}
      />
    </>
  );
}
