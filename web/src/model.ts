/**
 * The data that Python gives the page. The page decides nothing: it shows, filters and draws this data.
 *
 * `Page` is small and is in the document as JSON. The others are long: they travel as base64 of gzip of JSON, or are
 * fetched from `fabricgen serve`, and are read when first needed. `fabricgen.outputs.report` makes all of them.
 */

/** One figure of the first section: what it is, what it amounts to, and what is worth saying below it. */
export interface Figure {
  key: string;
  label: string;
  value: string;
  note: string;
}

/** A question of who decides on the purchase, and the sentences that answer it. */
export interface Answer {
  key: string;
  label: string;
  sentences: string[];
}

/** A symbol of the equations: its value, what it is, and where it comes from. */
export interface Symbol {
  name: string;
  value: string;
  what: string;
  origin: string;
}

/** One figure of the three designs, as bars. An unknown value is null. */
export interface Chart {
  figure: string;
  unit: string;
  bars: { design: string; value: number | null; text: string }[];
  /** What rail-only saves against the fat-tree, in per cent; negative where it takes more, null where it is not known. */
  saved_pct: number | null;
  /** The same in words; empty where it is not known. */
  saving: string;
  note: string;
}

/** A refusal, or what a broken law found, as the command line prints it. */
export interface Finding {
  code: string;
  fact: string;
  /** The name of the control that it belongs to; empty where no control was changed. */
  control: string;
  because: string[];
  hint: string;
}

/** One law and its figure; `ok` is null where it could not be judged. */
export interface Law {
  code: string;
  title: string;
  ok: boolean | null;
  figure: string;
  findings: string[];
}

/** The cost of ownership of the designs: their costs, totals after changes of prices, and what decides. The first row of a table is its header. */
export interface Ownership {
  terms: string;
  costs: string[][];
  changes: string[][];
  decides: string[];
  /** What no sum contains. */
  missing: string[];
}

/** The bill: finished cells. `kind` of a row is part, subtotal or total. */
export interface Bill {
  columns: string[];
  rows: { kind: string; cells: string[] }[];
  /** The columns of numbers, which are right-aligned. */
  numeric: number[];
  /** The columns of sentences and lists, which are wide. */
  prose: number[];
  /** Price book, dates, discounts, exchange, spares: a sentence each. */
  terms: string[];
}

/** The front of the switches of a role: where cages sit, and which interface is which port of which cage. */
export interface Face {
  model: string;
  rows: number;
  columns: number;
  /** Row and column of each cage, from 0; the first is cage 1. */
  seats: [number, number][];
  /** Cage, from 1, and position in it, from 1 or 0 where the cage is not split, of each interface in the order of the front panel. */
  ports: Record<string, [number, number]>;
  /** True where the catalog does not know where the cages sit. */
  assumed: boolean;
}

/** A rail's colour: its name, its fill, and that of a text on it. Rail n has colour n modulo the number of these. */
export interface Colour {
  name: string;
  fill: string;
  text: string;
}

export type Kind = "direct" | "source-relay" | "destination-relay" | "third-rail-relay" | "third-domain-relay";

/** What may hold of a path: it leaves over its source, lands on its target, travels on the rail of the one or the other. */
export type Fact = "leaves-source" | "lands-on-target" | "target-rail" | "source-rail";

/** The order of relays, best first: each exit with each landing. `fabricgen.analysis.forwarding.relay_rules` makes it. */
export interface RelayOrder {
  /** How a GPU to leave over is found: its rail, its rail slot after the source's own, and which third rail it is. */
  exits: ["itself" | "target" | "source" | "third", number, number][];
  /** The rail slot after the target's own, on the rail of the exit; null is the target itself. */
  landings: (number | null)[];
  /** The first kind whose facts all hold is that of a path. */
  kinds: [Kind, Fact[]][];
}

/** The networks beside the compute fabric: a row of finished cells for compute, one for each of them, and the last for all. */
export interface Networks {
  columns: string[];
  /** The columns of numbers, which are right-aligned. */
  numeric: number[];
  rows: string[][];
  notes: string[];
}

/** The light part of the report: everything that is not as long as the fabric. */
export interface Page {
  format: 1;
  fabric: string;
  version: string;
  design: string;
  /** What the fabric is, in a sentence. */
  headline: string;
  /** What the page was made from: inventory, price book and its date. */
  editions: string[];
  /** What is bought, its cost, savings, limits, dates and prices. */
  decision: Answer[];
  figures: Figure[];
  /** What is worth knowing before one orders: guesses, unpriced parts, what the page leaves out. */
  notes: string[];
  charts: Chart[];
  /** Designs that cannot be built, and why. */
  refused: { design: string; fact: string }[];
  bill: Bill;
  /** The resolved inventory, as YAML. */
  inventory: string;
  counts: {
    gpus: number;
    domain_gpus: number;
    rails: number;
    planes: number;
    hosts: number;
    switches: number;
    /** Cables of the whole fabric, and of the networks that the page holds, as pieces: a splitter or twin copper is one, whatever it carries. */
    cables: number;
    links: number;
    /** Rows of links.csv, or of cables.csv where each cable is one link; those that the page holds are the rows of `Cables`. */
    rows: number;
    host_gpus: number;
  };
  /** True where blocks span rails, so that any two GPUs reach each other without the HB domain. */
  spans_rails: boolean;
  relays: RelayOrder;
  /** 0 where rails have no switches: their GPUs are joined by cables. */
  tiers: number;
  colours: Colour[];
  /** The front of each role's switches; a rail that runs another NOS has its own under `role@rail`. */
  faces: Record<string, Face>;
  /** Rack units of a rack; 0 where the inventory leaves racks open. */
  rack_units: number;
  /** The drawings that there are, by name, in order. */
  drawings: { rails: string[]; stripes: string[]; networks: string[] };
  /** Null where there is the compute fabric alone. */
  networks: Networks | null;
  /** Training iteration of a language model on this fabric, in finished words; null where the figures to compute it are unknown. */
  iteration: { llm: string; parts: Figure[]; symbols: Symbol[]; notes: string[] } | null;
  /** Null where the inventory states no terms for it. */
  ownership: Ownership | null;
}

/** A column as its different values and, for each row, which of them it has. */
export interface Column<T = string> {
  values: T[];
  /** The first index, then what to add for each following row. */
  steps: number[];
}

/**
 * One row per device: hosts first, then the boxes of unit 0, unit 1, and so on; one that is planned but not installed has the role `planned`.
 * Then the switches of networks, and devices. `network` is that of such a switch; the column is there where the page holds networks.
 */
export interface Devices {
  columns: Record<
    "name" | "role" | "model" | "rail" | "plane" | "rack" | "unit" | "height" | "alike",
    Column
  > & { network?: Column };
  /** What is lost when a switch or a cable of a class fails, the worst first; `alike` of devices and cables is an index into it, empty where there is none. */
  impacts: Impact[];
}

/**
 * One row per link of a cable and per cable of a link, with the columns of cables.csv and a few more. `gpu` is that of a host cable; where a
 * cable joins two GPUs, both, the one at `a` first, with a space between. Those of networks come last.
 */
export interface Cables {
  columns: Record<
    | "cable" | "rail" | "plane" | "tier" | "a_device" | "a_interface" | "a_port" | "b_device" | "b_interface" | "b_port" | "speed"
    | "a_rack" | "a_unit" | "b_rack" | "b_unit" | "length_m" | "medium" | "part" | "a_transceiver" | "b_transceiver" | "gpu" | "alike",
    Column
  > & { network?: Column };
}

/** What a failure takes, as `fabricgen impact` counts it; every part of a class loses the same. */
export interface Impact {
  sentence: string;
  /** Name and finished value of each figure. */
  figures: [string, string][];
}

/** One drawing, in pixels from the top left; `rows` from the top. */
export interface Drawing<Member> {
  title: string;
  width: number;
  height: number;
  rows: { name: string; count: number; y: number; boxes: Box<Member>[] }[];
  strokes: Stroke[];
}

/** A device, or several of a kind that are drawn as one. */
export interface Box<Member> {
  id: string;
  kind: "gpu" | "domain" | "switch" | "device";
  /** What it stands for: one, or several of a kind. */
  members: Member[];
  /** Rail, from 0; -1 where it serves several, or the drawing is stamped out for every rail. */
  rail: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** All links between two boxes, or those of one rail. */
export interface Stroke {
  /** Ids of the boxes. */
  a: string;
  b: string;
  rail: number;
  links: number;
  speed: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  /** The control point of a curve, where the line bends beside other boxes. */
  bend?: [number, number];
}

/**
 * The drawings of rails. Units are alike, so there is one drawing for each block of a unit: a switch is its place among the boxes of a unit, and a
 * GPU its number on rail 0 of the block. `named` has each rail's own unit, block and rail (-1 where the block spans rails).
 */
export interface Rails {
  blocks: Drawing<number>[];
  named: { name: string; title: string; unit: number; block: number; rail: number }[];
  /** The names of the switches of unit 0, so that it is drawn before `Devices` is read. */
  names: string[];
  /** The first switch of unit 0 in `Devices`, and how many rows a unit has there. */
  first: number;
  boxes: number;
}

/** The drawings of stripes and of networks beside the compute fabric, by name; members are names. */
export type Stripes = Record<string, Drawing<string>>;

/** What verified a file, in a sentence, and the statements that this tool does not know, each with the document that has it; `*` alone is every statement. */
export interface Verified {
  by: string;
  unknown: [statement: string, document: string][];
}

/** The files of switches: each text once per file; `note` lists which are left out, and where they are. */
export interface Configs {
  switches: Record<string, { file: string; text: string }[]>;
  /** The NOS of each of these switches. */
  systems: Record<string, string>;
  /** By NOS and the last part of a file's path. */
  verified: Record<string, Record<string, Verified>>;
  note: string;
}

/** The parts that are read when first needed. */
export interface Parts {
  devices: Devices;
  cables: Cables;
  rails: Rails;
  stripes: Stripes;
  configs: Configs;
  laws: Law[];
}

/** A value of a control, its label, and why it would be refused; empty where it would not. */
export interface Choice {
  value: string;
  label: string;
  refused: string;
}

/** One control of `fabricgen serve`. */
export interface Control {
  /** Its name in a query. */
  name: string;
  label: string;
  value: string;
  /** What the arrows of a number add; 0 where it is no number. */
  step: number;
  /** Values that are suggested. */
  usual: string[];
  /** The only values, where there are any. */
  choices: Choice[];
  /** Why no other value would be accepted; empty where one may be. */
  refused: string;
  /** The controls that return to the inventory's value when this one changes. */
  resets: string[];
}

/** What `fabricgen serve` answers to other values: another page, or why there is none. */
export type Sized = { page: Page; controls: Control[] } | { findings: Finding[]; text: string };
