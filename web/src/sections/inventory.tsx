/** The inventory without default values, as text to copy. */

import { Copy } from "../copy";
import { Scrolling, Section } from "../parts";
import { usePageState } from "../page_state";

export function Inventory() {
  const { page } = usePageState();
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
