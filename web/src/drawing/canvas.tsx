/** The picture itself: strokes below, boxes above them, and at the left what each tier is. */

import type { Colour, Stroke } from "../model";
import { colourOf, hued } from "../parts";
import { grouped, usePageState } from "../page_state";
import { type AnyBox, boxesOf, labelOf, linksOf, type Picture, textsOf } from "./picture";

const LINE = 14;

/** What a picture does when a box or a stroke is asked for, and what is lit: a box, with its strokes and neighbours. */
export interface Handling {
  lit: string;
  onBox(box: AnyBox): void;
  onStroke(stroke: Stroke): void;
  onPoint(text: string): void;
}

/** Draws a picture at a scale: 1 is a pixel to a pixel. */
export function Canvas({ picture, scale, ...handling }: { picture: Picture; scale: number } & Handling) {
  const { top, height } = extent(picture);
  const { width } = picture.drawing;
  return (
    <svg
      class={handling.lit ? "picture focused" : "picture"}
      viewBox={`0 0 ${width} ${height}`}
      width={Math.round(width * scale)}
      height={Math.round(height * scale)}
      role="group"
      aria-label={picture.title}
    >
      <g transform={`translate(0 ${-top})`}>
        <Strokes picture={picture} {...handling} />
        <Tiers picture={picture} />
        {picture.drawing.rows.map((row) =>
          row.boxes.map((box) => <BoxMark key={box.id} picture={picture} box={box} what={row.name} {...handling} />),
        )}
      </g>
    </svg>
  );
}

/** The upper edge of what is drawn, and its height; the title is outside. */
export function extent(picture: Picture): { top: number; height: number } {
  const boxes = boxesOf(picture);
  // a curve goes half of the way to its control point
  const curves = picture.drawing.strokes.map(({ y1, y2, bend }) => (bend ? (y1 + y2 + 2 * bend[1]) / 4 : Infinity));
  const top = Math.min(...boxes.map((box) => box.y), ...curves) - 16;
  return { top, height: Math.max(...boxes.map((box) => box.y + box.height)) + 16 - top };
}

/** The names of the tiers, and between two how many links there are. */
function Tiers({ picture }: { picture: Picture }) {
  return (
    <g class="tiers">
      {picture.drawing.rows.map((row) => {
        const middle = row.y + (row.boxes[0]?.height ?? 0) / 2;
        return (
          <g key={row.y}>
            <text class="tier" x={16} y={middle - 3}>
              {row.name}
            </text>
            <text x={16} y={middle + 12}>
              {grouped(row.count)}
            </text>
          </g>
        );
      })}
      {gaps(picture).map(({ y, lines }) => lines.map((line, at) => (
        <text key={`${y} ${at}`} x={16} y={y + 15 * at}>
          {line}
        </text>
      )))}
    </g>
  );
}

/** The text between each two tiers. */
function gaps(picture: Picture): { y: number; lines: string[] }[] {
  const { rows, strokes } = picture.drawing;
  const [only] = rows;
  if (only && rows.length === 1) {
    return [{ y: only.y + (only.boxes[0]?.height ?? 0) / 2 + 27, lines: counted(strokes) }];
  }
  return rows.slice(1).map((row, at) => {
    const own = new Set(row.boxes.map((box) => box.id));
    const above = rows[at];
    const y = ((above?.y ?? 0) + (above?.boxes[0]?.height ?? 0) + row.y) / 2;
    return { y, lines: counted(strokes.filter((stroke) => own.has(stroke.a) && !own.has(stroke.b))) };
  });
}

/** How many links some strokes stand for, together and each. */
function counted(strokes: Stroke[]): string[] {
  const counts = strokes.map((stroke) => stroke.links);
  const [least, most] = [Math.min(...counts), Math.max(...counts)].map(grouped);
  const total = grouped(counts.reduce((sum, count) => sum + count, 0));
  return strokes.length ? [`${total} x ${strokes[0]?.speed ?? ""}`, `${least === most ? least : `${least} to ${most}`} to a line`] : [];
}

function Strokes({ picture, ...handling }: { picture: Picture } & Handling) {
  const boxes = new Map(boxesOf(picture).map((box) => [box.id, box]));
  const title = (stroke: Stroke) => {
    const [a, b] = [boxes.get(stroke.a), boxes.get(stroke.b)];
    return a && b ? `${labelOf(picture, a)} to ${labelOf(picture, b)}: ${linksOf(picture, stroke)}` : linksOf(picture, stroke);
  };
  return (
    <g>
      {picture.drawing.strokes.map((stroke, at) => (
        <StrokeMark key={at} stroke={stroke} rail={railOf(picture, stroke.rail)} title={title(stroke)} {...handling} />
      ))}
    </g>
  );
}

/** All links between two boxes. Those of the lit box are reached by the tab key. */
function StrokeMark({ stroke, rail, title, lit, onStroke, onPoint }: { stroke: Stroke; rail: number; title: string } & Handling) {
  const { page } = usePageState();
  const colour = colourOf(page, rail);
  const on = lit !== "" && (stroke.a === lit || stroke.b === lit);
  const ends = { x1: stroke.x1, y1: stroke.y1, x2: stroke.x2, y2: stroke.y2 };
  const curve = stroke.bend && `M${ends.x1} ${ends.y1}Q${stroke.bend.join(" ")} ${ends.x2} ${ends.y2}`;
  return (
    <g
      class={`stroke ${on ? "on" : ""} ${toneOf(colour)}`}
      data-stroke={`${stroke.a} ${stroke.b}`}
      style={hued(colour)}
      tabIndex={on ? 0 : -1}
      {...acting(title, () => onStroke(stroke), onPoint)}
    >
      <title>{title}</title>
      {curve ? <path class="reach" d={curve} /> : <line class="reach" {...ends} />}
      {curve ? <path class="line" d={curve} /> : <line class="line" {...ends} />}
    </g>
  );
}

/** A device, or several that are drawn as one. */
function BoxMark({ picture, box, what, lit, onBox, onPoint }: { picture: Picture; box: AnyBox; what: string } & Handling) {
  const { page } = usePageState();
  const colour = colourOf(page, railOf(picture, box.rail));
  const texts = textsOf(picture, box, what);
  const near = picture.drawing.strokes.some((stroke) => (stroke.a === lit && stroke.b === box.id) || (stroke.b === lit && stroke.a === box.id));
  const label = [labelOf(picture, box), ...texts.slice(2)].join(", ");
  const first = box.y + (box.height - LINE * texts.length) / 2 + 10.5;
  return (
    <g
      class={`box ${box.kind} ${box.id === lit ? "lit" : near ? "near" : ""} ${toneOf(colour)}`}
      data-box={box.id}
      style={hued(colour)}
      tabIndex={0}
      aria-pressed={box.id === lit}
      {...acting(label, () => onBox(box), onPoint)}
    >
      {box.members.length > 1 && <rect class="behind" x={box.x + 3} y={box.y - 3} width={box.width} height={box.height} rx={4} />}
      <rect class="outline" x={box.x} y={box.y} width={box.width} height={box.height} rx={4} />
      <rect class="band" x={box.x + 1} y={box.kind === "switch" ? box.y + box.height - 4 : box.y + 1} width={box.width - 2} height={3} rx={1.5} />
      {texts.map((text, at) => (
        <text key={at} class={at ? "small" : ""} x={box.x + box.width / 2} y={first + LINE * at}>
          {text}
        </text>
      ))}
    </g>
  );
}

/** The rail of a mark: its own, or that of the whole picture. */
function railOf(picture: Picture, rail: number): number {
  return rail >= 0 ? rail : picture.rail;
}

/** Whether a colour would vanish on paper, or on a dark screen: the style sheet mixes such a one with black, or with white. */
function toneOf(colour: Colour | undefined): string {
  const parts = /^#(..)(..)(..)$/.exec(colour?.fill ?? "");
  if (!parts) {
    return "plain";
  }
  const [red = 0, green = 0, blue = 0] = parts.slice(1).map((part) => (parseInt(part, 16) / 255) ** 2.2);
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const tones: [number, string][] = [[0.02, "black"], [0.18, "deep"], [0.45, "plain"]];
  return tones.find(([most]) => light < most)?.[1] ?? "pale";
}

/** What makes a mark a button: its name, its action at a click, Enter or the space bar, and its text on hover. */
function acting(label: string, act: () => void, point: (text: string) => void) {
  return {
    role: "button" as const,
    "aria-label": label,
    onClick: act,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        act();
      }
    },
    onMouseEnter: () => point(label),
    onFocus: () => point(label),
    onMouseLeave: () => point(""),
    onBlur: () => point(""),
  };
}
