/** One rack from the front: its units from the bottom, and the devices in them. */

import { useMemo } from "preact/hooks";
import { rowTitle } from "../cables/row_words";
import type { Fabric } from "../fabric";
import { colourOf, filled, Name } from "../parts";
import { grouped, usePageState } from "../page_state";
import { Partial } from "../details/partial";
import { heldBy, tiesOf, type Held } from "./positions";

/** The drawing of a rack, and where its cables go. */
export function Elevation({ fabric, rack, chosen }: { fabric: Fabric; rack: string; chosen: boolean }) {
  const held = useMemo(() => heldBy(fabric, rack), [fabric, rack]);
  const lost = held.filter((device) => device.unit === 0);
  return (
    <article class="rack" aria-label={`Rack ${rack}`} data-rack={rack} data-chosen={chosen}>
      <div class="elevation">
        <h3>
          <Name thing={{ kind: "rack", name: rack }} />
        </h3>
        <Frame held={held} />
        {lost.length > 0 && <p class="note">Without a unit: {lost.map(({ name }) => name).join(", ")}</p>}
      </div>
      <Ties fabric={fabric} rack={rack} />
    </article>
  );
}

function Frame({ held }: { held: Held[] }) {
  const { rack_units } = usePageState().page;
  const units = Array.from({ length: rack_units }, (_, at) => rack_units - at);
  return (
    <div class="frame" style={{ gridTemplateRows: `repeat(${rack_units}, var(--unit))` }}>
      {units.map((unit) => (
        <span key={unit} class="unit" aria-hidden="true" style={{ gridRow: `${rack_units - unit + 1}` }}>
          {unit}
        </span>
      ))}
      {held.filter(({ unit }) => unit > 0).map((device) => (
        <Placed key={device.name} device={device} />
      ))}
    </div>
  );
}

/** A device at its units, as a button that opens the panel. */
function Placed({ device }: { device: Held }) {
  const { page, selected, select } = usePageState();
  const { name, role, model, rail, unit } = device;
  const height = Math.max(1, device.height);
  const colour = role === "planned" ? undefined : colourOf(page, rail);
  const where = height === 1 ? `unit ${unit}` : `units ${unit} to ${unit + height - 1}`;
  const title = [name, role, model, rail && `rail ${rail}`, where].filter(Boolean).join(", ");
  const place = { gridRow: `${page.rack_units - unit - height + 2} / span ${height}`, ...filled(colour) };
  return (
    <button
      type="button" class={`standing ${role}`} title={title} aria-label={title} style={place}
      aria-current={selected?.kind === "device" && selected.name === name ? "true" : undefined} onClick={() => select({ kind: "device", name })}
    >
      <b>{name}</b> <span>{role === "planned" ? "planned" : model && model !== "generic" ? model : role}</span>
    </button>
  );
}

/** Where the cables of a rack go, by rack; those racks can be chosen. */
function Ties({ fabric, rack }: { fabric: Fabric; rack: string }) {
  const { page, setShownRack } = usePageState();
  const { inside, others } = useMemo(() => tiesOf(fabric, rack), [fabric, rack]);
  return (
    <div class="ties">
      <h4>{rowTitle(page)}</h4>
      {fabric.cables.length > 0 && <p>{grouped(inside)} stay in this rack.</p>}
      <Partial />
      {others.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">To rack</th>
              <th scope="col" class="number">{rowTitle(page)}</th>
            </tr>
          </thead>
          <tbody>
            {others.map(([name, cables]) => (
              <tr key={name}>
                <td>
                  {name ? (
                    <button type="button" class="name" onClick={() => setShownRack(name)}>
                      {name}
                    </button>
                  ) : (
                    "in no rack"
                  )}
                </td>
                <td class="number">{grouped(cables)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
