/** The contents: a link to each section, the one that is read marked. */

import { useEffect, useState } from "preact/hooks";
import { hasSwitches } from "./details/section_links";
import { usePageState } from "./page_state";

const SECTIONS: [id: string, title: string][] = [
  ["decision", "Decision"],
  ["numbers", "Numbers"],
  ["networks", "Networks"],
  ["comparison", "Designs"],
  ["bill", "Bill"],
  ["topology", "Drawing"],
  ["cables", "Cables"],
  ["racks", "Racks"],
  ["switches", "Switches"],
  ["route", "Route"],
  ["failures", "Failures"],
  ["laws", "Laws"],
  ["inventory", "Inventory"],
];

export function Contents() {
  const { page } = usePageState();
  const left = new Set([page.rack_units > 0 ? "" : "racks", page.networks ? "" : "networks", ...(hasSwitches(page) ? [] : ["switches", "route"])]);
  const shown = SECTIONS.filter(([id]) => !left.has(id));
  const read = useRead(shown.map(([id]) => id).join(" "));
  return (
    <nav aria-label="Contents">
      <ul>
        {shown.map(([id, title]) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === read ? "true" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The first of these sections whose end is below the head of the window. */
function useRead(ids: string): string {
  const [read, setRead] = useState("");
  useEffect(() => {
    const look = () => {
      const found = ids.split(" ").find((id) => (document.getElementById(id)?.getBoundingClientRect().bottom ?? 0) > innerHeight / 4);
      setRead(found ?? "");
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [ids]);
  return read;
}
