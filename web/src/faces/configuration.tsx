/** The files of a switch, to read, to copy and to save. */

import { useRef, useState } from "preact/hooks";
import { Copy } from "../copy";
import type { Configs, Verified } from "../model";
import { Reading } from "../parts";
import { save } from "../download";
import { usePart } from "../page_state";
import { ownOf } from "./plugs";

/** The files of one switch; where the page holds none, why. */
export function Configuration({ name }: { name: string }) {
  const configs = usePart("configs");
  return (
    <div>
      <h3>Configuration of {name}</h3>
      {configs ? <Files name={name} configs={configs} /> : <Reading what="the files of switches" />}
    </div>
  );
}

/** One file at a time. Another switch shows its file of the same name. */
function Files({ name, configs: { switches, systems, verified, note } }: { name: string; configs: Configs }) {
  const files = ownOf(switches, name) ?? [];
  const [wanted, setWanted] = useState("");
  const pre = useRef<HTMLPreElement>(null);
  const shown = files.find(({ file }) => file === wanted) ?? files[0];
  if (!shown) {
    return <p class="note">{note || "The page holds no files of this switch."}</p>;
  }
  return (
    <div class="card files">
      <div class="fields">
        <label>
          File
          <select value={shown.file} onChange={(event) => setWanted(event.currentTarget.value)}>
            {files.map(({ file }) => (
              <option key={file}>{file}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => save(`${name}-${shown.file}`, shown.text, "application/octet-stream")}>
          Download
        </button>
        <Copy text={shown.text} shown={pre} />
      </div>
      <pre key={`${name} ${shown.file}`} ref={pre} data-testid="config" tabIndex={0} aria-label={`Text of ${shown.file}`}>
        {shown.text}
      </pre>
      <Verification of={verified[systems[name] ?? ""]?.[shown.file.split("/").at(-1) ?? ""]} />
      {note && <p class="note">{note}</p>}
    </div>
  );
}

/** What verified a file, and what only a document does. */
function Verification({ of }: { of: Verified | undefined }) {
  return of ? (
    <div data-testid="verified">
      <p class="note">{of.by}</p>
      {of.unknown.length > 0 && (
        <details>
          <summary>Statements that are documented, but unknown to an independent tool</summary>
          <dl>
            {of.unknown.map(([statement, document]) => (
              <div key={statement}>
                <dt>{statement === "*" ? "every statement" : <code>{statement}</code>}</dt>
                <dd>{document}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  ) : null;
}
