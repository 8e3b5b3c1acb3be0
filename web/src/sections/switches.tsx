/** The switches: the front of the one that is chosen, its ports, and its files. */

import { useMemo } from "preact/hooks";
import { Chooser } from "../chooser";
import { isWhole } from "../details/partial";
import { Configuration } from "../faces/configuration";
import { Faceplate } from "../faces/faceplate";
import { faceOf, plugsOf, switchesOf, type Plug } from "../faces/plugs";
import { PortMap } from "../faces/portmap";
import type { Fabric } from "../fabric";
import type { Face } from "../model";
import { Name, Rail, Reading, Section } from "../parts";
import { grouped, usePageState } from "../page_state";

export function Switches() {
  const { fabric } = usePageState();
  return (
    <Section id="switches" title="Switches" hint="The front of a switch, what is plugged into it, and its files. Choose a port to see its cable.">
      {fabric ? <Chosen fabric={fabric} /> : <Reading what="the switches" />}
    </Section>
  );
}

function Chosen({ fabric }: { fabric: Fabric }) {
  const { shownSwitch, setShownSwitch } = usePageState();
  const groups = useMemo(() => switchesOf(fabric), [fabric]);
  const known = groups.some(({ names }) => names.includes(shownSwitch));
  const shown = known ? shownSwitch : (groups[0]?.names[0] ?? "");
  if (!shown) {
    return <p>No switch is installed.</p>;
  }
  return (
    <>
      <Chooser noun="switch" groups={groups} value={shown} onChoose={setShownSwitch} />
      <Front fabric={fabric} name={shown} />
      <Configuration name={shown} />
    </>
  );
}

/** What a switch is, its faceplate and its port map. */
function Front({ fabric, name }: { fabric: Fabric; name: string }) {
  const state = usePageState();
  const row = fabric.device(name) ?? -1;
  const [role = "", rail = "", model, rack] = (["role", "rail", "model", "rack"] as const).map((column) => fabric.devices.text(column, row));
  const face = faceOf(state.page, role, rail);
  const plugs = useMemo(() => plugsOf(fabric, name, face), [fabric, name, face]);
  const known = plugs.length > 0 || isWhole(state);
  return (
    <>
      <p class="switch">
        <Name thing={{ kind: "device", name }} /> <Rail rail={rail} /> {[role, model, rack && `rack ${rack}`].filter(Boolean).join(", ")}
        {known && `; ${grouped(plugs.length)} ports in use`}
      </p>
      {known ? <Ports name={name} face={face} plugs={plugs} /> : <p class="note">The page does not hold the cables of this switch; they are in cabling/cables.csv.</p>}
    </>
  );
}

/** The ports of a switch, drawn and as a table. */
function Ports({ name, face, plugs }: { name: string; face: Face | undefined; plugs: Plug[] }) {
  return (
    <>
      {face ? <Faceplate name={name} face={face} plugs={plugs} /> : <p class="note">The page does not know the front of this switch.</p>}
      <h3>Ports of {name}</h3>
      <PortMap name={name} plugs={plugs} />
    </>
  );
}
