/** The drawings of rails, stripes and networks. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Canvas } from "../drawing/canvas";
import { Chooser } from "../drawing/chooser";
import { Chosen } from "../drawing/chosen";
import { type AnyBox, boxesOf, boxWith, type Picture, pictureOf, thingOf } from "../drawing/picture";
import { hasSwitches } from "../details/section_links";
import type { Rails, Stripes, Stroke } from "../model";
import { Reading, Scrolling, Section } from "../parts";
import { shapeOf } from "../relays";
import { EVERYTHING, type Filter, go, usePart, usePageState } from "../page_state";

const GRAPH =
  "Every rail as the graph that its cables make of its GPUs. A line is all cables between two boxes; a box with “to” in it stands for several GPUs. Choose a box to see its neighbours, a line to see its cables.";

const HINT =
  "Every rail with its switches, every stripe with its leaves, and each network beside the compute fabric. A line is all links between two boxes; a box with “to” in it stands for several. Choose a box to see what it is joined to, a line to see its cables.";

/** The section of the drawings. */
export function Topology() {
  const { page, fabric, drawing } = usePageState();
  const [rails, stripes] = [usePart("rails"), usePart("stripes")];
  const picture = useMemo(
    () => (rails ? pictureOf(drawing, page, fabric, rails, stripes) : null),
    [drawing, page, fabric, rails, stripes],
  );
  return (
    <Section id="topology" title="Drawing" hint={hasSwitches(page) ? HINT : GRAPH}>
      {picture && rails ? <Shown picture={picture} rails={rails} stripes={stripes ?? {}} /> : <Reading what="the drawings" />}
    </Section>
  );
}

/** One drawing with all that belongs to it. */
function Shown({ picture, rails, stripes }: { picture: Picture; rails: Rails; stripes: Stripes }) {
  const { fabric, select } = usePageState();
  const [lit, setLit] = useLit(picture);
  const [pointed, point] = useState("");
  useEffect(() => point(""), [picture]);
  const [room, scale, zoom] = useScale(picture);
  const toCables = useStroke(picture);
  const beside = picture.family === "networks"; // its cables are not in the table, and few of its devices in the panel
  const onStroke = (stroke: Stroke) => (beside ? setLit(stroke.a === lit ? stroke.b : stroke.a) : toCables(stroke));
  const onBox = (box: AnyBox) => {
    const named = box.members.length === 1 ? thingOf(box, picture.nameOf(box, 0)) : null;
    const thing = named && beside && fabric?.device(named.name) === undefined ? null : named;
    setLit(!thing && box.id === lit ? "" : box.id);
    if (thing) {
      select(thing);
    }
  };
  const chosen = boxesOf(picture).find((box) => box.id === lit);
  return (
    <>
      <div class="fields">
        <Chooser shown={picture.name} />
        <Zoom scale={scale} zoom={zoom} />
      </div>
      <h3>{picture.title}</h3>
      <div class="room" ref={room}>
        <Scrolling label={`Drawing of ${picture.title}`}>
          <Canvas picture={picture} scale={scale} lit={lit} onBox={onBox} onStroke={onStroke} onPoint={point} />
        </Scrolling>
      </div>
      <p class="pointed mono" aria-hidden="true">
        {pointed}
      </p>
      {chosen && <Chosen picture={picture} box={chosen} rails={rails} stripes={stripes} onStroke={onStroke} onClear={() => setLit("")} />}
    </>
  );
}

/** The buttons that make a drawing larger and smaller; 0 stands for what fits. */
function Zoom({ scale, zoom }: { scale: number; zoom(scale: number): void }) {
  return (
    <>
      <button type="button" aria-label="Zoom out" onClick={() => zoom(Math.max(0.1, scale / 1.25))}>
        −
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => zoom(Math.min(4, scale * 1.25))}>
        +
      </button>
      <button type="button" onClick={() => zoom(0)}>
        Fit
      </button>
      <output class="note">{Math.round(scale * 100)} %</output>
    </>
  );
}

/** The box that is lit: the one that was chosen in this drawing, or that holds what was selected elsewhere. */
function useLit(picture: Picture): [string, (id: string) => void] {
  const { page, selected } = usePageState();
  const [lit, setLit] = useState({ picture: "", id: "" });
  useEffect(() => {
    const found = selected && boxWith(picture, selected, shapeOf(page));
    if (found) {
      setLit({ picture: picture.name, id: found.id });
    }
  }, [picture, selected, page]);
  return [lit.picture === picture.name ? lit.id : "", (id) => setLit({ picture: picture.name, id })];
}

/** How large the drawing is: as wide as its room, but at first so that it can be read; the reader's choice wins. */
function useScale(picture: Picture): [preact.RefObject<HTMLDivElement>, number, (scale: number) => void] {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [asked, ask] = useState<number | null>(null);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (room.current) {
      watch.observe(room.current);
    }
    return () => watch.disconnect();
  }, []);
  const fit = (width - 2) / picture.drawing.width;
  const first = Math.min(1.5, Math.max(0.85, fit));
  return [room, asked === null ? first : asked || Math.max(0.05, fit), ask];
}

/** What a stroke does: it narrows the table of cables to its links, as far as a filter can. */
function useStroke(picture: Picture): (stroke: Stroke) => void {
  const { setFilter } = usePageState();
  return (stroke) => {
    setFilter(filterOf(picture, stroke));
    go("cables");
  };
}

function filterOf(picture: Picture, stroke: Stroke): Filter {
  const ends = [stroke.b, stroke.a].map((id) => boxesOf(picture).find((box) => box.id === id && box.members.length === 1));
  const names = ends.map((box) => (box ? picture.nameOf(box, 0) + (box.kind === "domain" ? "-g" : "") : ""));
  const device = ends.findIndex((box) => box?.kind === "switch");
  const rail = stroke.rail >= 0 ? stroke.rail : picture.rail;
  const two = ends.every((box) => box?.kind === "gpu"); // the cables that join them have both names, the lower end first
  const text = two ? [...names].reverse().join(" ") : (names[1 - Math.max(0, device)] ?? "");
  return { ...EVERYTHING, rail: rail >= 0 ? String(rail) : "", device: names[device] ?? "", text };
}
