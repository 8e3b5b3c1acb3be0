/** The files of a switch, to read, to copy and to save. */

import { useRef, useState } from "preact/hooks";
import { Copy } from "../copying";
import { Reading } from "../parts";
import { save } from "../saving";
import { usePart } from "../world";
import { ownOf } from "./plugs";

/** The files of one switch; where the page holds none, why. */
export function Configuration({ name }: { name: string }) {
  const configs = usePart("configs");
  return (
    <div class="configuration">
      <h3>Configuration of {name}</h3>
      {configs ? <Files name={name} files={ownOf(configs.switches, name) ?? []} note={configs.note} /> : <Reading what="the files of switches" />}
    </div>
  );
}

interface File {
  file: string;
  text: string;
}

/** One file at a time. Another switch shows its file of the same name. */
function Files({ name, files, note }: { name: string; files: File[]; note: string }) {
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
      {note && <p class="note">{note}</p>}
    </div>
  );
}
