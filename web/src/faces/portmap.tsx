/** The ports in use of a switch as a table. */

import { Name, Rail, Scrolling } from "../parts";
import type { Plug } from "./plugs";

/** Each port in use: its cage, its cable, and where that leads. */
export function PortMap({ name, plugs }: { name: string; plugs: Plug[] }) {
  return (
    <Scrolling label={`Ports of ${name}`}>
      <table class="portmap stack">
        <thead>
          <tr>
            {["Interface", "Cage / position", "Rail", "Cable", "Far device", "Far interface", "Speed"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <th scope="col" class="number">Length</th>
            <th scope="col">Far rack</th>
          </tr>
        </thead>
        <tbody>
          {plugs.map((plug) => (
            <Row key={plug.cable} plug={plug} />
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function Row({ plug }: { plug: Plug }) {
  return (
    <tr>
      <th scope="row" class="mono">{plug.interface}</th>
      <td data-title="Cage / position">{seat(plug)}</td>
      <td data-title="Rail">
        <Rail rail={plug.rail} />
      </td>
      <td data-title="Cable">
        <Name thing={{ kind: "cable", name: plug.cable }} />
      </td>
      <td data-title="Far device">
        <Name thing={{ kind: "device", name: plug.farDevice }} />
      </td>
      <td class="mono" data-title="Far interface">{plug.farInterface}</td>
      <td data-title="Speed">{plug.speed}</td>
      <td class="number" data-title="Length">{plug.length && `${plug.length} m`}</td>
      <td data-title="Far rack">{plug.farRack && <Name thing={{ kind: "rack", name: plug.farRack }} />}</td>
    </tr>
  );
}

/** The cage and, where it is split, the position in it; the port's own number where the front is not known. */
function seat({ cage, position, port }: Plug): string {
  if (cage === 0) {
    return port;
  }
  return position === 0 ? `${cage}` : `${cage} / ${position}`;
}
