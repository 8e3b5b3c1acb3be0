// Bundles the page into fabricgen/outputs/report/page: report.js, report.css, the licences of what is bundled, and digest.txt, by which a test sees
// that the bundle was made from these sources. Run by `make page`; the bundle is kept in the repository, so that nobody else needs Node.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "fabricgen", "outputs", "report", "page");

/** Every file that decides what the bundle holds, by its path from here with slashes, in order. */
function sources() {
  const found = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(here.length + 1).replaceAll("\\", "/"));
  return [...found, "build.mjs", "package-lock.json", "package.json", "tsconfig.json"].sort();
}

/** The digest of the sources: of each path and its contents in turn. `tests/outputs/report` computes the same. */
function digest() {
  const sum = createHash("sha256");
  for (const path of sources()) {
    sum.update(`${path}\n`).update(readFileSync(join(here, path)));
  }
  return sum.digest("hex");
}

/** The packages whose code is in the bundle, by esbuild's account of its inputs. */
function bundled(inputs) {
  const names = Object.keys(inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

/** A package's name, version and licence text. A package without the text is an error: we may not hand its code on without it. */
function licence(name) {
  const root = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) {
    throw new Error(`${name} ${version} has no licence file`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(root, file), "utf8").trim()}\n`;
}

const common = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning", absWorkingDir: here };
mkdirSync(out, { recursive: true });
const script = await build({
  ...common,
  entryPoints: ["src/main.tsx"],
  outfile: join(out, "report.js"),
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  alias: { react: "preact/compat", "react-dom": "preact/compat" },
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
});
await build({ ...common, entryPoints: ["src/style/report.css"], outfile: join(out, "report.css"), target: ["chrome123", "firefox121", "safari17.5"] });
writeFileSync(join(out, "licences.txt"), bundled(script.metafile.inputs).map(licence).join(`\n${"-".repeat(80)}\n\n`));
writeFileSync(join(out, "digest.txt"), `${digest()}\n`);
