/** The panel of a rack. */

import { useMemo } from "preact/hooks";
import { rowTitle } from "../cables/row_words";
import type { Fabric } from "../fabric";
import { Name } from "../parts";
import { heldBy, tiesOf, type Held } from "../racks/positions";
import { EVERYTHING, go, grouped, usePageState } from "../page_state";
import { Actions, Facts } from "./facts";
import { Partial } from "./partial";
import { toRack } from "./section_links";

/** A rack and its devices, from the top. */
export function Rack({ fabric, name }: { fabric: Fabric; name: string }) {
  const state = usePageState();
  const held = useMemo(() => heldBy(fabric, name), [fabric, name]);
  const { inside, others } = useMemo(() => tiesOf(fabric, name), [fabric, name]);
  const used = held.reduce((sum, { height }) => sum + height, 0);
  const known = fabric.cables.length > 0;
  const cables = () => {
    state.setFilter({ ...EVERYTHING, rack: name });
    go("cables");
  };
  return (
    <>
      <Facts
        facts={[
          ["Units", state.page.rack_units > 0 ? `${used} of ${state.page.rack_units} taken` : ""],
          [`${rowTitle(state.page)} that stay`, known ? grouped(inside) : ""],
          [`${rowTitle(state.page)} to others`, known ? grouped(others.reduce((sum, [, count]) => sum + count, 0)) : ""],
        ]}
      />
      <Partial />
      <Actions actions={[["In the racks", toRack(state, name)], ["Its cables", cables]]} />
      <h3>Devices</h3>
      <Devices held={held} />
    </>
  );
}

function Devices({ held }: { held: Held[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col" class="number">Unit</th>
          <th scope="col">Device</th>
          <th scope="col">Role</th>
        </tr>
      </thead>
      <tbody>
        {held.map(({ name, role, unit }) => (
          <tr key={name}>
            <td class="number">{unit || ""}</td>
            <td>
              <Name thing={{ kind: "device", name }} />
            </td>
            <td>{role}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
