/** What the inventory said, once all that it left out was settled. */

import { Copy } from "../copying";
import { Scrolling, Section } from "../parts";
import { useWorld } from "../world";

export function Inventory() {
  const { page } = useWorld();
  return (
    <Section id="inventory" title="Inventory" hint="The report is made from this inventory, and from the catalog and the prices that it names.">
      <Copy text={page.inventory} />
      <Scrolling label="Text of the inventory">
        <pre data-testid="inventory">{page.inventory}</pre>
      </Scrolling>
      <p class="note">Made by fabricgen {page.version}.</p>
    </Section>
  );
}
