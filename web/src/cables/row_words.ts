/** What a row of the table of cables counts as: cables and links differ where a cable carries several links, or a link takes several cables. */

import type { Page } from "../model";

/** The word for one row: `row` where the fabric has cables of both kinds. */
export function rowWord({ counts }: Page): "cable" | "link" | "row" {
  return counts.rows === counts.cables ? "cable" : counts.rows === counts.links ? "link" : "row";
}

/** Its plural. */
export function rowWords(page: Page): string {
  return `${rowWord(page)}s`;
}

/** The file that has these rows: links are apart where cables carry several. */
export function rowFile(page: Page): string {
  return `cabling/${rowWord(page) === "cable" ? "cables" : "links"}.csv`;
}

/** The plural at the beginning of a title. */
export function rowTitle(page: Page): string {
  const words = rowWords(page);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
