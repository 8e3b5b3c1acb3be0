/** The fields that narrow the table of cables. Other sections set the filter too. */

import { useMemo } from "preact/hooks";
import { Choice } from "../choice";
import { suggested } from "../chooser";
import type { Fabric } from "../fabric";
import { natural } from "../natural";
import { EVERYTHING, type Filter, usePageState } from "../page_state";

/** Names that a field suggests at most. */
const MOST = 30;

/** Network, rail, rack, device, free text, and the way back to all cables. */
export function Fields({ fabric }: { fabric: Fabric }) {
  const { filter, setFilter } = usePageState();
  const narrow = (change: Partial<Filter>) => setFilter({ ...filter, ...change });
  const rails = useMemo(() => fabric.cables.column("rail").values.filter(Boolean).sort(natural), [fabric]);
  const networks = fabric.cables.column("network").values.filter(Boolean);
  const racks = useMemo(() => fabric.devices.column("rack").values.filter(Boolean).sort(natural), [fabric]);
  const devices = fabric.devices.column("name").values;
  return (
    <div class="fields" role="group" aria-label="Narrow the cables">
      {networks.length > 0 && <Choice label="Network" names={networks} none="all" value={filter.network} onValue={(network) => narrow({ network })} />}
      <Choice label="Rail" names={rails} none="all" value={filter.rail} onValue={(rail) => narrow({ rail })} />
      {racks.length > 0 && <Suggesting id="cables-racks" label="Rack" names={racks} value={filter.rack} onValue={(rack) => narrow({ rack })} />}
      <Suggesting id="cables-devices" label="Device" names={devices} value={filter.device} onValue={(device) => narrow({ device })} />
      <label>
        Text
        <input type="search" value={filter.text} placeholder="cable, device or GPU" onInput={(event) => narrow({ text: event.currentTarget.value })} />
      </label>
      <button type="button" onClick={() => setFilter(EVERYTHING)}>
        Clear
      </button>
    </div>
  );
}

/** A field that suggests names as one types, a few of those that fit. */
function Suggesting({ id, label, names, value, onValue }: { id: string; label: string; names: string[]; value: string; onValue(value: string): void }) {
  const fit = useMemo(() => suggested(names, value.trim(), MOST), [names, value]);
  return (
    <label>
      {label}
      <input list={id} value={value} placeholder="any" autocomplete="off" onInput={(event) => onValue(event.currentTarget.value)} />
      <datalist id={id}>
        {fit.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
