/** The route from one GPU to another. */

import { useMemo, useState } from "preact/hooks";
import { Ends } from "../drawing/ends";
import { Hops } from "../drawing/hops";
import { Profile } from "../drawing/profile";
import { Reading, Scrolling, Section } from "../parts";
import { domainOf, typedGpu, gpuName, type Kind, type Shape, shapeOf } from "../relays";
import { type Path, Router } from "../paths";
import { grouped, usePageState } from "../page_state";

const HINT =
  "The way from one GPU to another, hop by hop. Rails may meet only inside HB domains: a packet for another rail then goes over a relay, a GPU that hands it from one to the other.";

const MEANING: Record<Kind, string> = {
  direct: "From NIC to NIC, without a relay.",
  "source-relay": "Over the HB domain first, to the GPU on the rail of the destination; then along that rail.",
  "destination-relay": "Along the source’s rail first; then over the HB domain of the destination.",
  "third-rail-relay": "Over both HB domains, on a rail of neither.",
  "third-domain-relay": "Over GPUs of other HB domains: nothing shorter is left.",
};

/** The section of the route. */
export function Route() {
  const { page, fabric, ends, setEnds } = usePageState();
  const shape = useMemo(() => shapeOf(page), [page]);
  const asked = filled(ends, example(shape));
  return (
    <Section id="route" title="Route" hint={HINT}>
      <Ends shape={shape} ends={asked} onEnds={setEnds} onExample={() => setEnds(example(shape))} />
      <Without />
      {fabric ? <Ways shape={shape} ends={asked} /> : <Reading what="the cables" />}
    </Section>
  );
}

/** Two GPUs of different HB domains on different rails, where there are such. */
function example(shape: Shape): [string, string] {
  const last = shape.gpus - shape.domain_gpus;
  const other = last + (last || shape.rails > 1 ? Math.min(3, shape.rails - 1) : Math.min(1, shape.gpus - 1));
  return [gpuName(shape, 0), gpuName(shape, other)];
}

/** Both ends: of a pair that lacks one, or both, the example is used. */
function filled([source, target]: [string, string], [first, other]: [string, string]): [string, string] {
  return [source || (target === first ? other : first), target || (source === other ? first : other)];
}

/** What the route must do without, and the way to bring it back. */
function Without() {
  const { failed, setFailed } = usePageState();
  return failed ? (
    <p class="without" data-testid="route-without" role="status">
      <span>
        without {failed.kind === "cable" ? "cable" : "switch"} <b class="mono">{failed.name}</b>
      </span>
      <button type="button" onClick={() => setFailed(null)}>
        Bring it back
      </button>
    </p>
  ) : null;
}

/** The routes between two GPUs, if these are two. */
function Ways({ shape, ends }: { shape: Shape; ends: [string, string] }) {
  const { page, fabric, failed } = usePageState();
  const router = useMemo(() => fabric && new Router(fabric, shape, failed), [fabric, shape, failed]);
  const [source, target] = ends.map((name) => typedGpu(shape, name));
  const known = router && source !== undefined && target !== undefined && source !== target;
  const held = known && (domainOf(shape, source) === domainOf(shape, target) || (router.holds(source) && router.holds(target)));
  const paths = useMemo(() => (held ? router.paths(source, target) : []), [held, router, source, target]);
  if (!known) {
    return null;
  }
  if (!held) {
    return <p class="note">{`This page does not hold the cables of both; ask: fabricgen route FABRIC ${ends.join(" ")}`}</p>;
  }
  const part = fabric !== null && fabric.cables.length < page.counts.rows;
  return paths.length ? <Kinds paths={paths} part={part} /> : <NoWay router={router} ends={[source, target]} />;
}

/** The kinds of path, and the one that is chosen: the first, until the reader chooses. */
function Kinds({ paths, part }: { paths: Path[]; part: boolean }) {
  const [asked, ask] = useState<Kind | "">("");
  const path = paths.find(({ kind }) => kind === asked) ?? paths[0];
  return path ? (
    <>
      <div class="kinds" role="group" aria-label="Kinds of path, the default first">
        {paths.map(({ kind }) => (
          <button key={kind} type="button" data-testid="route-kind" aria-pressed={kind === path.kind} onClick={() => ask(kind)}>
            {kind}
          </button>
        ))}
      </div>
      <Description path={path} />
      {part && <p class="note">Only the cables on this page are considered: it holds a part of the cables.</p>}
    </>
  ) : null;
}

/** One path: what it is, its picture and its hops. */
function Description({ path }: { path: Path }) {
  const equal = path.equal > 1 ? `, one of ${grouped(path.equal)} equal paths` : ", the only path of its length";
  return (
    <div class="description">
      <h3>
        {path.hops[0]?.name} to {path.hops[path.hops.length - 1]?.name}
      </h3>
      <p>
        {path.links ? MEANING[path.kind] : "Inside the HB domain."} <b data-testid="route-links">{path.links}</b> {path.links === 1 ? "link" : "links"}
        {path.links ? equal : ""}.
      </p>
      <Scrolling label="Picture of the path">
        <Profile path={path} />
      </Scrolling>
      <Hops path={path} />
    </div>
  );
}

/** That there is no path, and why. */
function NoWay({ router, ends }: { router: Router; ends: [number, number] }) {
  const lost = ends.find((gpu) => !router.hasPort(gpu));
  const [source, target] = ends.map((gpu) => gpuName(router.shape, gpu));
  const why = lost === undefined ? "whatever is left of the network joins them neither on a rail nor over any HB domain" : `no working NIC port is left to ${gpuName(router.shape, lost)}`;
  return (
    <p class="nothing" role="status" data-testid="route-none">
      No path is left from {source} to {target}: {why}.
    </p>
  );
}
