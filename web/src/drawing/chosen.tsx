/** The text beneath the drawing when a box is chosen: its members, the drawings that it leads to, and its links. */

import { useState } from "preact/hooks";
import type { Rails, Stripes, Stroke } from "../model";
import { Name } from "../parts";
import { findGpu, gpuName, shapeOf } from "../relays";
import { grouped, usePageState } from "../page_state";
import { type AnyBox, boxesOf, labelOf, linksOf, membersOf, type Picture, railsWith, stripesWith, thingOf } from "./picture";

const MOST = 200;

interface Shown {
  picture: Picture;
  box: AnyBox;
}

/** The panel of the chosen box. */
export function Chosen({ picture, box, rails, stripes, onStroke, onClear }: Shown & { rails: Rails; stripes: Stripes; onStroke(stroke: Stroke): void; onClear(): void }) {
  return (
    <div class="card chosen" data-testid="chosen">
      <div class="fields">
        <h4>{labelOf(picture, box)}</h4>
        <Ways picture={picture} box={box} rails={rails} stripes={stripes} />
        <button type="button" onClick={onClear}>
          Show all
        </button>
      </div>
      {box.kind === "domain" ? <Domains picture={picture} box={box} /> : box.members.length > 1 && <Members picture={picture} box={box} />}
      <Links picture={picture} box={box} onStroke={onStroke} />
    </div>
  );
}

/** The drawings that a leaf leads to: from its rail to its stripe, and back. */
function Ways({ picture, box, rails, stripes }: Shown & { rails: Rails; stripes: Stripes }) {
  const { page, fabric, setDrawing } = usePageState();
  const name = picture.nameOf(box, 0);
  if (!fabric || box.kind !== "switch" || box.members.length > 1 || picture.family === "networks") {
    return null;
  }
  const found = picture.family === "rails" ? stripesWith(name, stripes) : railsWith(name, rails, fabric);
  return (
    <>
      {found.map((drawing) => (
        <button key={drawing} type="button" onClick={() => setDrawing(drawing)}>
          {page.drawings.networks.includes(drawing) ? "Its network" : picture.family === "rails" ? "Its stripe" : "Its rail"}: {drawing}
        </button>
      ))}
    </>
  );
}

/** The members of a bundle, as far as a page can list them. */
function Members({ picture, box }: Shown) {
  const { fabric } = usePageState();
  const names = membersOf(picture, box, MOST);
  return (
    <ul class="members" aria-label={`Members of ${labelOf(picture, box)}`}>
      {names.map((name) => (
        <li key={name}>
          {picture.family === "networks" && fabric?.device(name) === undefined ? name : <Name thing={thingOf(box, name) ?? { kind: "device", name }} />}
        </li>
      ))}
      <More left={box.members.length - names.length} />
    </ul>
  );
}

/** HB domains, each of which opens its GPUs; one alone has them open. */
function Domains({ picture, box }: Shown) {
  const [open, setOpen] = useState("");
  const names = membersOf(picture, box, MOST);
  const shown = names.length === 1 ? names[0] : names.find((name) => name === open);
  return (
    <>
      {names.length > 1 && (
        <ul class="members" aria-label="HB domains">
          {names.map((name) => (
            <li key={name}>
              <button type="button" class="name" aria-expanded={name === shown} onClick={() => setOpen(name === open ? "" : name)}>
                {name}
              </button>
            </li>
          ))}
          <More left={box.members.length - names.length} />
        </ul>
      )}
      {shown && <Gpus domain={shown} />}
    </>
  );
}

/** The GPUs of an HB domain. */
function Gpus({ domain }: { domain: string }) {
  const { page } = usePageState();
  const shape = shapeOf(page);
  const first = findGpu(shape, `${domain}-g0`) ?? 0;
  const shown = Math.min(MOST, shape.domain_gpus);
  return (
    <ul class="members" aria-label={`GPUs of ${domain}`}>
      {Array.from({ length: shown }, (_, rank) => gpuName(shape, first + rank)).map((name) => (
        <li key={name}>
          <Name thing={{ kind: "gpu", name }} />
        </li>
      ))}
      <More left={shape.domain_gpus - shown} />
    </ul>
  );
}

/** How many are not listed. */
function More({ left }: { left: number }) {
  return left > 0 ? <li class="note">and {grouped(left)} more</li> : null;
}

/** The strokes of a box as a list, which leads to their cables. */
function Links({ picture, box, onStroke }: Shown & { onStroke(stroke: Stroke): void }) {
  const boxes = new Map(boxesOf(picture).map((each) => [each.id, each]));
  const own = picture.drawing.strokes.filter((stroke) => stroke.a === box.id || stroke.b === box.id);
  return (
    <ul class="members links" aria-label={`Links of ${labelOf(picture, box)}`}>
      {own.map((stroke, at) => {
        const other = boxes.get(stroke.a === box.id ? stroke.b : stroke.a);
        return (
          <li key={at}>
            <button type="button" onClick={() => onStroke(stroke)}>
              {other ? labelOf(picture, other) : ""}: {linksOf(picture, stroke)}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
