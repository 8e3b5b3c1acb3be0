/** The head of the page: the fabric, the way to find a thing, and light or dark. */

import { useEffect, useState } from "preact/hooks";
import { usePageState } from "./page_state";

export function Head() {
  const { page } = usePageState();
  return (
    <header>
      <div class="title">
        <h1>{page.fabric}</h1>
        <p>{page.headline}</p>
        <p class="editions">{[...page.editions, `fabricgen ${page.version}`].join(" · ")}</p>
      </div>
      <button type="button" aria-keyshortcuts="/" onClick={() => dispatchEvent(new Event("find"))}>
        Find <kbd>/</kbd>
      </button>
      <Theme />
    </header>
  );
}

/** Switches between light and dark; until then the system's choice applies. */
function Theme() {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setDark(system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  const turn = () => {
    document.documentElement.dataset["theme"] = dark ? "light" : "dark";
    setDark(!dark);
  };
  return (
    <button type="button" onClick={turn}>
      {dark ? "Light" : "Dark"}
    </button>
  );
}
