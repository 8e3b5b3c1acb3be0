/** Which drawing is shown: a rail, a stripe or a network, and the one before or after it. */

import { Choice } from "../choice";
import type { Page } from "../model";
import { usePageState } from "../page_state";

/** The lists, and the way through the one that the drawing is of. */
export function Chooser({ shown }: { shown: string }) {
  const { page, setDrawing } = usePageState();
  const { rails, stripes, networks } = page.drawings;
  const list = [stripes, networks].find((each) => each.includes(shown)) ?? rails;
  const at = list.indexOf(shown);
  return (
    <>
      <List label={wholes(page)} names={rails} shown={shown} />
      {stripes.length > 0 && <List label="Stripe" names={stripes} shown={shown} />}
      {networks.length > 0 && <List label="Network" names={networks} shown={shown} />}
      <button type="button" disabled={at <= 0} onClick={() => setDrawing(list[at - 1] ?? shown)}>
        Previous
      </button>
      <button type="button" disabled={at < 0 || at === list.length - 1} onClick={() => setDrawing(list[at + 1] ?? shown)}>
        Next
      </button>
    </>
  );
}

/** What the drawings that are no stripes are of. */
function wholes(page: Page): string {
  return page.spans_rails ? (page.counts.planes > 1 ? "Plane" : "Fabric") : "Rail";
}

/** One list; it has no selection where the drawing is of another list. */
function List({ label, names, shown }: { label: string; names: string[]; shown: string }) {
  const { setDrawing } = usePageState();
  const within = names.includes(shown);
  const none = within ? "" : "choose …";
  return <Choice label={label} names={names} value={within ? shown : ""} none={none} onValue={(name) => (name ? setDrawing(name) : undefined)} />;
}
