/** The way to find a device, a cable, a GPU or a rack by its name; `/` opens it. */

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { find, type Found } from "./search";
import { Rail } from "./parts";
import { usePageState } from "./page_state";

/** A dialog with a combobox over everything that has a name. */
export function Finder() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  useOpening(dialog, () => setOpen(true));
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} class="finder" aria-label="Find" onClose={() => setOpen(false)} onClick={(event) => event.target === dialog.current && close()}>
      {open && <Combobox close={close} />}
    </dialog>
  );
}

/** Open at `/`, outside of text fields, and at the event `find` of the button in the head. */
function useOpening(dialog: RefObject<HTMLDialogElement>, opened: () => void): void {
  useEffect(() => {
    const open = () => {
      if (dialog.current && !dialog.current.open) {
        opened();
        dialog.current.showModal();
      }
    };
    const press = (event: KeyboardEvent) => {
      if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event.target)) {
        event.preventDefault();
        open();
      }
    };
    addEventListener("find", open);
    addEventListener("keydown", press);
    return () => {
      removeEventListener("find", open);
      removeEventListener("keydown", press);
    };
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, select, textarea"));
}

/** The field and what it finds. The focus stays in the field; the arrows move the choice. */
function Combobox({ close }: { close(): void }) {
  const { fabric, page, select } = usePageState();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const found = useMemo(() => (fabric ? find(fabric, page, text) : []), [fabric, page, text]);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => document.getElementById(`found-${at}`)?.scrollIntoView({ block: "nearest" }), [at, found]);
  const choose = (chosen: Found | undefined) => {
    if (chosen) {
      close();
      select(chosen.thing);
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    } else if (event.key === "Enter") {
      choose(found[at]);
    }
  };
  const write = (written: string) => {
    setText(written);
    setAt(0);
  };
  return (
    <>
      <input
        ref={field} type="text" role="combobox" aria-label="Find a device, cable, GPU or rack" placeholder="A device, cable, GPU or rack"
        aria-autocomplete="list" aria-expanded={found.length > 0} aria-controls="found" aria-activedescendant={found[at] ? `found-${at}` : undefined}
        autocomplete="off" spellcheck={false} value={text} onInput={(event) => write(event.currentTarget.value)} onKeyDown={press}
      />
      <ul id="found" role="listbox" aria-label="Found">
        {found.map((each, place) => (
          <Option key={`${each.thing.kind} ${each.thing.name}`} found={each} place={place} chosen={place === at} choose={() => choose(each)} />
        ))}
      </ul>
      <p role="status">{status(fabric !== null, text, found.length)}</p>
    </>
  );
}

function Option({ found, place, chosen, choose }: { found: Found; place: number; chosen: boolean; choose(): void }) {
  return (
    <li id={`found-${place}`} role="option" aria-selected={chosen} onClick={choose}>
      <span class="mono">{found.thing.name}</span>
      <span class="what">{found.what}</span>
      <Rail rail={found.rail} />
    </li>
  );
}

function status(isRead: boolean, text: string, count: number): string {
  if (!isRead) {
    return "Reading the fabric …";
  }
  if (text.trim() === "") {
    return "Type a piece of a name, like leaf-1 or d0-g3. Enter opens it, Escape leaves.";
  }
  return count === 0 ? "Nothing has such a name." : count < 20 ? `${count} found` : "The first 20";
}
