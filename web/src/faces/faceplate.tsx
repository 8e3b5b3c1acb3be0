/** The front of a switch: its cages where they sit, and what is plugged into each. */

import { Fragment } from "preact";
import type { Face } from "../model";
import { colourOf, filled } from "../parts";
import { usePageState } from "../page_state";
import type { Plug } from "./plugs";

/** The faceplate of a switch; ports in use are buttons. */
export function Faceplate({ name, face, plugs }: { name: string; face: Face; plugs: Plug[] }) {
  const cages = cagesOf(face, new Map(plugs.map((plug) => [plug.interface, plug])));
  return (
    <>
      <div class="scrolling face" role="region" aria-label={`Front of ${name}`} tabIndex={0}>
        <div class="plate" style={{ gridTemplateColumns: `repeat(${face.columns}, minmax(2.1rem, 4rem))` }}>
          {face.seats.map(([row, column], at) => (
            <div key={at} class="cage" style={{ gridRow: `${row + 1}`, gridColumn: `${column + 1}` }}>
              <span class="which">{at + 1}</span>
              {(cages.get(at + 1) ?? []).map(([own, plug]) => (
                <Fragment key={own}>{plug ? <InUse plug={plug} /> : <span class="port idle" title={`${own}: idle`} />}</Fragment>
              ))}
            </div>
          ))}
        </div>
      </div>
      <p class="note">
        ↓ leads down, to a host or a lower tier; ↑ leads up. An empty box is idle.{face.assumed && " The catalog does not state where the cages are; this order is assumed."}
      </p>
    </>
  );
}

/** The interfaces of each cage by position, with what is plugged into them. */
function cagesOf(face: Face, plugs: Map<string, Plug>): Map<number, [string, Plug | undefined][]> {
  const found = new Map<number, [string, Plug | undefined][]>();
  const ports = Object.entries(face.ports).sort(([, one], [, other]) => one[1] - other[1]);
  for (const [own, [cage]] of ports) {
    found.set(cage, [...(found.get(cage) ?? []), [own, plugs.get(own)]]);
  }
  return found;
}

/** A port in use, in its rail's colour; it opens the cable. */
function InUse({ plug }: { plug: Plug }) {
  const { page, selected, select } = usePageState();
  const title = `${plug.interface}: ${plug.cable} to ${plug.farDevice} ${plug.farInterface}`;
  return (
    <button
      type="button" class="port" data-testid="port" title={title} aria-label={title} style={filled(colourOf(page, plug.rail))}
      aria-current={selected?.kind === "cable" && selected.name === plug.cable ? "true" : undefined}
      onClick={() => select({ kind: "cable", name: plug.cable })}
    >
      {plug.down ? "↓" : "↑"}
    </button>
  );
}
