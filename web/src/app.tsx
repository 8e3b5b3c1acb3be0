/** The page: its head, its contents, its sections in order, and the panel at the side. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { Contents } from "./contents";
import { hasSwitches } from "./details/section_links";
import { Fabric, type Thing } from "./fabric";
import { served } from "./served";
import { Finder } from "./finder";
import { Head } from "./head";
import { Inspector } from "./inspector";
import { Bill } from "./sections/bill";
import { Cables } from "./sections/cables";
import { Comparison } from "./sections/comparison";
import { Decision } from "./sections/decision";
import { Failures } from "./sections/failures";
import { Inventory } from "./sections/inventory";
import { Laws } from "./sections/laws";
import { Networks } from "./sections/networks";
import { Numbers } from "./sections/numbers";
import { Racks } from "./sections/racks";
import { Route } from "./sections/route";
import { Switches } from "./sections/switches";
import { Topology } from "./sections/topology";
import { controls, embedded, type Source } from "./source";
import { Controls } from "./controls";
import { EVERYTHING, type Filter, type PageState, PageContext } from "./page_state";

const LIVE = controls();
const FILE = LIVE ? served(embedded().page, {}) : embedded();

export function App() {
  const [source, setSource] = useState<Source>(FILE);
  const state = useMakePageState(source);
  const { page } = source;
  return (
    <PageContext.Provider value={state}>
      <a class="skip" href="#decision">
        Skip to the decision
      </a>
      <Head />
      <Contents />
      <main>
        {LIVE && <Controls controls={LIVE} onSized={setSource} />}
        <Decision />
        <Numbers />
        {page.networks && <Networks networks={page.networks} />}
        <Comparison />
        <Bill />
        <Topology />
        <Cables />
        {page.rack_units > 0 && <Racks />}
        {hasSwitches(page) && <Switches />}
        {hasSwitches(page) && <Route />}
        <Failures />
        <Laws />
        <Inventory />
      </main>
      <Inspector />
      <Finder />
    </PageContext.Provider>
  );
}

/** Make the state of a source; another source begins with nothing chosen. */
function useMakePageState(source: Source): PageState {
  const [built, setBuilt] = useState<{ source: Source; fabric: Fabric } | null>(null);
  const fabric = built?.source === source ? built.fabric : null; // that of another source fits no word of this page
  const [selected, select] = useSelected();
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const [ends, setEnds] = useState<[string, string]>(["", ""]);
  const [failed, setFailed] = useState<Thing | null>(null);
  const [drawing, setDrawing] = useState(source.page.drawings.rails[0] ?? "");
  const [shownSwitch, setShownSwitch] = useState("");
  const [shownRack, setShownRack] = useState("");
  useEffect(() => {
    let wanted = true;
    setFilter(EVERYTHING);
    setEnds(["", ""]);
    setFailed(null);
    setDrawing(source.page.drawings.rails[0] ?? "");
    setShownSwitch("");
    setShownRack("");
    void Promise.all([source.read("devices"), source.read("cables")]).then(
      ([devices, cables]) => wanted && setBuilt({ source, fabric: new Fabric(devices, cables) }),
    );
    return () => {
      wanted = false;
    };
  }, [source]);
  return useMemo(
    () => ({
      source, page: source.page, fabric, selected, select, filter, setFilter, ends, setEnds, failed, setFailed,
      drawing, setDrawing, shownSwitch, setShownSwitch, shownRack, setShownRack,
    }),
    [source, fabric, selected, filter, ends, failed, drawing, shownSwitch, shownRack],
  );
}

const KINDS: Thing["kind"][] = ["device", "cable", "gpu", "rack"];

/** What is selected, which is in the address, so that a link to it can be handed on: `#device=r0-leaf-1`. */
function useSelected(): [Thing | null, (thing: Thing | null) => void] {
  const [selected, setSelected] = useState<Thing | null>(read);
  useEffect(() => {
    const follow = () => setSelected((before) => read() ?? (location.hash === "" ? null : before));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const select = (thing: Thing | null) => {
    setSelected(thing);
    history.replaceState(null, "", thing ? `#${thing.kind}=${encodeURIComponent(thing.name)}` : "#");
  };
  return [selected, select];
}

function read(): Thing | null {
  const [, kind, name = ""] = /^#(\w+)=(.+)$/.exec(location.hash) ?? [];
  const known = KINDS.find((each) => each === kind);
  return known ? { kind: known, name: decoded(name) } : null;
}

/** A name as written in an address; one that was cut within an escape is left as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
