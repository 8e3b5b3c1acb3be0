/** A path hop by hop, from top to bottom: each station, and between two what joins them. */

import type { Thing } from "../fabric";
import { Name, Rail } from "../parts";
import type { Hop, Path } from "../paths";
import { usePageState } from "../page_state";

const WORDS: Record<Hop["kind"], string> = { gpu: "GPU", nic: "NIC port", "hb-domain": "HB domain", leaf: "leaf", spine: "spine", core: "core" };

/** The list of a path's hops. */
export function Hops({ path }: { path: Path }) {
  return (
    <ol class="hops">
      {path.hops.map((hop, at) => (
        <li key={at} class={`hop ${hop.kind}`}>
          <Joint hop={hop} />
          <div class="station">
            <span class="what">{path.relays.includes(hop.name) ? "relay GPU" : WORDS[hop.kind]}</span>
            <span data-testid="route-hop" data-kind={hop.kind} class="mono">
              <Station hop={hop} />
            </span>
            <Where hop={hop} />
          </div>
        </li>
      ))}
    </ol>
  );
}

/** What a hop is called; a NIC port and an HB domain are nothing that the panel shows. */
function Station({ hop }: { hop: Hop }) {
  const kind: Thing["kind"] | undefined = hop.kind === "gpu" ? "gpu" : hop.kind === "nic" || hop.kind === "hb-domain" ? undefined : "device";
  return kind ? <Name thing={{ kind, name: hop.name }} /> : <>{hop.name}</>;
}

/** The cable that leads to a hop, with the interfaces at its ends; inside an HB domain and a host there is none. */
function Joint({ hop }: { hop: Hop }) {
  if (hop.via !== "cable") {
    return null;
  }
  return (
    <div class="joint">
      <span class="mono">{hop.out}</span>
      <span class="cable">
        {hop.cables.map((name) => (
          <Name key={name} thing={{ kind: "cable", name }} />
        ))}
      </span>
      <span class="mono">{hop.into}</span>
    </div>
  );
}

/** The rail of a hop, its host, and its position. */
function Where({ hop }: { hop: Hop }) {
  const { fabric } = usePageState();
  const row = fabric?.device(hop.device);
  const [rack, unit] = (["rack", "unit"] as const).map((column) => (row === undefined ? "" : (fabric?.devices.text(column, row) ?? "")));
  if (!hop.device || hop.kind === "nic") {
    return null;
  }
  return (
    <span class="where">
      <Rail rail={hop.rail < 0 ? "" : String(hop.rail)} />
      {hop.kind === "gpu" && <Name thing={{ kind: "device", name: hop.device }} />}
      {rack && (
        <span>
          <Name thing={{ kind: "rack", name: rack }} />
          {unit && ` unit ${unit}`}
        </span>
      )}
    </span>
  );
}
