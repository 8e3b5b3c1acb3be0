/** Shown where the page does not hold every cable. */

import { rowWords } from "../cables/row_words";
import { grouped, usePageState, type PageState } from "../page_state";

/** Whether the page holds every cable of the fabric. */
export function isWhole({ fabric, page }: PageState): boolean {
  return (fabric?.cables.length ?? 0) >= page.counts.rows;
}

/** How many cables the page holds, where these are not all; counts of its rows are of those. */
export function Partial() {
  const state = usePageState();
  const held = state.fabric?.cables.length ?? 0;
  if (isWhole(state)) {
    return null;
  }
  return (
    <p class="note">
      The page holds {held ? grouped(held) : "none"} of {grouped(state.page.counts.rows)} {rowWords(state.page)}
      {held > 0 && ", and these figures cover those"}.
    </p>
  );
}
