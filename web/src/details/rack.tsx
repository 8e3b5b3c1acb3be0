/** The panel of a rack. */

import { useMemo } from "preact/hooks";
import { rowTitle } from "../cables/counting";
import type { Fabric } from "../fabric";
import { Name } from "../parts";
import { heldBy, tiesOf, type Held } from "../racks/standing";
import { EVERYTHING, go, grouped, useWorld } from "../world";
import { Deeds, Facts } from "./facts";
import { Partial } from "./partial";
import { toRack } from "./ways";

/** A rack and its devices, from the top. */
export function Rack({ fabric, name }: { fabric: Fabric; name: string }) {
  const world = useWorld();
  const held = useMemo(() => heldBy(fabric, name), [fabric, name]);
  const { inside, others } = useMemo(() => tiesOf(fabric, name), [fabric, name]);
  const used = held.reduce((sum, { height }) => sum + height, 0);
  const known = fabric.cables.length > 0;
  const cables = () => {
    world.setFilter({ ...EVERYTHING, rack: name });
    go("cables");
  };
  return (
    <>
      <Facts
        facts={[
          ["Units", world.page.rack_units > 0 ? `${used} of ${world.page.rack_units} taken` : ""],
          [`${rowTitle(world.page)} that stay`, known ? grouped(inside) : ""],
          [`${rowTitle(world.page)} to others`, known ? grouped(others.reduce((sum, [, count]) => sum + count, 0)) : ""],
        ]}
      />
      <Partial />
      <Deeds deeds={[["In the racks", toRack(world, name)], ["Its cables", cables]]} />
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
