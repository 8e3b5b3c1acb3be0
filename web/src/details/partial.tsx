/** Said where the page does not hold every cable. */

import { rowWords } from "../cables/counting";
import { grouped, useWorld, type World } from "../world";

/** Say whether the page holds every cable of the fabric. */
export function isWhole({ fabric, page }: World): boolean {
  return (fabric?.cables.length ?? 0) >= page.counts.rows;
}

/** How many cables the page holds, where these are not all; counts of its rows are of those. */
export function Partial() {
  const world = useWorld();
  const held = world.fabric?.cables.length ?? 0;
  if (isWhole(world)) {
    return null;
  }
  return (
    <p class="note">
      The page holds {held ? grouped(held) : "none"} of {grouped(world.page.counts.rows)} {rowWords(world.page)}
      {held > 0 && ", and these figures cover those"}.
    </p>
  );
}
