/** A path as a picture: up through the tiers and down again, and along the bottom where HB domains carry it. */

import { colourOf, hued } from "../parts";
import type { Path } from "../paths";
import { usePageState } from "../page_state";
import { type Station, stations } from "./stations";

/** Draws a path. The list beneath it has the same in words, so this is hidden from screen readers. */
export function Profile({ path }: { path: Path }) {
  const { placed, width, height } = stations(path.hops);
  return (
    <svg class="profile" viewBox={`0 0 ${width} ${height}`} style={{ maxWidth: `${Math.round(width * 1.15)}px`, minWidth: `${Math.round(width * 0.8)}px` }} aria-hidden="true">
      {placed.slice(1).map((station, at) => (
        <Way key={at} from={placed[at] ?? station} to={station} />
      ))}
      {placed.map((station, at) => (
        <Mark key={at} station={station} relay={path.relays.includes(station.hop.name)} />
      ))}
    </svg>
  );
}

/** A cable as a line, an HB domain as a dotted one. */
function Way({ from, to }: { from: Station; to: Station }) {
  const { page } = usePageState();
  const { x: x1, y: y1 } = from;
  const { x: x2, y: y2 } = to;
  const hue = hued(colourOf(page, from.hop.rail >= 0 ? from.hop.rail : to.hop.rail));
  if (to.via === "hb") {
    return <path class="way hb" d={`M${x1 + 16} ${y1} L${x2 - 12} ${y2}`} />;
  }
  return <path class="way" d={`M${x1} ${y1} L${x2} ${y2}`} style={hue} />;
}

function Mark({ station, relay }: { station: Station; relay: boolean }) {
  const { page } = usePageState();
  const { hop, x, y } = station;
  const gpu = hop.kind === "gpu";
  return (
    <g class={relay ? "mark relay" : "mark"} style={hued(colourOf(page, hop.rail))}>
      {gpu ? <circle cx={x} cy={y} r={9} /> : <rect x={x - 15} y={y - 9} width={30} height={18} rx={4} />}
      <text x={x} y={gpu ? y + 25 : y - 16}>
        {hop.name}
      </text>
      {relay && (
        <text class="small" x={x} y={y - 16}>
          relay
        </text>
      )}
    </g>
  );
}
