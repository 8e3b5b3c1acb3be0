/** The racks from the front: all of them where they are few, else the one that is chosen. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { Chooser } from "../chooser";
import type { Fabric } from "../fabric";
import { Reading, Section } from "../parts";
import { Elevation } from "../racks/elevation";
import { racksOf } from "../racks/positions";
import { usePageState } from "../page_state";

/** Racks that are drawn at once at most. */
const MOST = 8;

export function Racks() {
  const { fabric } = usePageState();
  const hint = "Units count from the bottom. A dashed box is planned and not installed yet. Choose a device to see its cables and details.";
  return (
    <Section id="racks" title="Racks" hint={hint}>
      {fabric ? <Room fabric={fabric} /> : <Reading what="the racks" />}
    </Section>
  );
}

function Room({ fabric }: { fabric: Fabric }) {
  const { shownRack, setShownRack } = usePageState();
  const racks = useMemo(() => racksOf(fabric), [fabric]);
  const shown = racks.includes(shownRack) ? shownRack : (racks[0] ?? "");
  if (racks.length === 0) {
    return <p>No device is placed in a rack.</p>;
  }
  return (
    <>
      <Chooser noun="rack" groups={[{ label: "Racks", names: racks }]} value={shown} onChoose={setShownRack} />
      <Row fabric={fabric} racks={racks.length <= MOST ? racks : [shown]} chosen={racks.length <= MOST ? shownRack : ""} />
    </>
  );
}

/** Racks side by side; the chosen one is marked and brought into view. */
function Row({ fabric, racks, chosen }: { fabric: Fabric; racks: string[]; chosen: string }) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const found = [...(row.current?.children ?? [])].find((each) => (each as HTMLElement).dataset["rack"] === chosen);
    if (row.current && found) {
      row.current.scrollLeft = (found as HTMLElement).offsetLeft - row.current.clientWidth / 4;
    }
  }, [chosen, fabric]);
  return (
    <div class={racks.length > 1 ? "room several" : "room"} ref={row} role="region" aria-label="Racks from the front" tabIndex={0}>
      {racks.map((rack) => (
        <Elevation key={rack} fabric={fabric} rack={rack} chosen={rack === chosen} />
      ))}
    </div>
  );
}
