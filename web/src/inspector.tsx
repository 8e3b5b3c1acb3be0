/** The panel at the side: what is known of the thing that the reader points at. */

import { useEffect, useRef } from "preact/hooks";
import { Cable } from "./details/cable";
import { Device } from "./details/device";
import { Gpu } from "./details/gpu";
import { Partial } from "./details/partial";
import { Rack } from "./details/rack";
import type { Fabric, Thing } from "./fabric";
import { Reading } from "./parts";
import { findGpu, shapeOf } from "./relays";
import { usePageState } from "./page_state";

const KINDS: Record<Thing["kind"], string> = { device: "Device", cable: "Cable", gpu: "GPU", rack: "Rack" };

export function Inspector() {
  const { selected, select } = usePageState();
  const panel = useRef<HTMLElement>(null);
  const close = useClosing(panel, () => select(null));
  return (
    selected && (
      <aside class="inspector" aria-label="Details" ref={panel}>
        <Description key={`${selected.kind}=${selected.name}`} thing={selected} onClose={close} />
      </aside>
    )
  );
}

/**
 * Return what closes the panel and puts the focus back where it was: on what had it last outside of the panel. Escape does the same, unless it is
 * pressed in a field or a dialog, which have a use of their own for it.
 */
function useClosing(panel: { current: HTMLElement | null }, leave: () => void): () => void {
  const last = useRef<HTMLElement | null>(null);
  const close = () => {
    const inside = panel.current?.contains(document.activeElement) ?? false;
    leave();
    if (inside) {
      last.current?.focus({ preventScroll: true });
    }
  };
  const newest = useRef(close);
  newest.current = close;
  useEffect(() => {
    const note = ({ target }: Event) => {
      if (target instanceof HTMLElement && !panel.current?.contains(target)) {
        last.current = target;
      }
    };
    const press = ({ key, target, defaultPrevented }: KeyboardEvent) => {
      const busy = target instanceof Element && target.closest("dialog, input, select, textarea");
      if (key === "Escape" && panel.current && !busy && !defaultPrevented) {
        newest.current();
      }
    };
    document.addEventListener("focusin", note);
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("keydown", press);
    };
  }, [panel]);
  return close;
}

/** The heading, which takes the focus, and what is known. */
function Description({ thing, onClose }: { thing: Thing; onClose(): void }) {
  const { fabric } = usePageState();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div class="top">
        <h2 ref={heading} tabIndex={-1}>
          <small>{KINDS[thing.kind]}</small> {thing.name}
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {fabric ? <Known fabric={fabric} thing={thing} /> : <Reading what="the fabric" />}
    </>
  );
}

/** What is known of a thing, or that nothing is. */
function Known({ fabric, thing }: { fabric: Fabric; thing: Thing }) {
  const { page } = usePageState();
  const { kind, name } = thing;
  const row = kind === "device" ? fabric.device(name) : kind === "cable" ? fabric.cable(name) : undefined;
  const gpu = kind === "gpu" ? findGpu(shapeOf(page), name) : undefined;
  if (kind === "device" && row !== undefined) {
    return <Device fabric={fabric} name={name} row={row} />;
  }
  if (kind === "cable" && row !== undefined) {
    return <Cable fabric={fabric} name={name} row={row} />;
  }
  if (gpu !== undefined) {
    return <Gpu fabric={fabric} name={name} gpu={gpu} />;
  }
  if (kind === "rack" && name && fabric.devices.column("rack").values.includes(name)) {
    return <Rack fabric={fabric} name={name} />;
  }
  return <Unknown thing={thing} />;
}

/** The text for a name that the page does not have, such as that of a stale link. */
function Unknown({ thing }: { thing: Thing }) {
  const { page } = usePageState();
  return (
    <>
      <p role="status">
        This page has no {thing.kind === "gpu" ? "GPU" : thing.kind} of this name in {page.fabric}. The link may be of another fabric, or of an older one.
      </p>
      {thing.kind === "cable" && <Partial />}
    </>
  );
}
