import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pageMissing } from "../errors.ts";
import type { ExportedRun } from "../protocol.ts";

/** What the bundler made of `app/`. */
export interface PageParts {
  script: string;
  style: string;
}

/** From a folder, unless `readText` knows the files otherwise: a single executable has none. */
export async function readPageParts(
  folder: string,
  readText: (file: string) => Promise<string> = (file) => readFile(file, "utf8"),
): Promise<PageParts> {
  const read = (name: string): Promise<string> =>
    readText(path.posix.join(folder, name)).catch((cause: unknown) => {
      throw pageMissing(folder, cause);
    });
  const [script, style] = await Promise.all([read("app.js"), read("app.css")]);
  return { script, style };
}

/** Nothing from elsewhere, nothing inline, no text that becomes code. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** With every answer, whatever it is. */
export const safeHeaders = {
  "content-security-policy": pagePolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
};

export interface Asset {
  type: string;
  text: string;
}

const html = "text/html; charset=utf-8";

/** All that is served as a file, by its address: nothing is looked for on disk. */
export const assetsOf = ({ script, style }: PageParts): ReadonlyMap<string, Asset> =>
  new Map([
    ["/", { type: html, text: servedPage }],
    ["/app.js", { type: "text/javascript; charset=utf-8", text: script }],
    ["/app.css", { type: "text/css; charset=utf-8", text: style }],
  ]);

const pageWith = (head: string, body = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Slipway</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. In the terminal: slipway status, slipway plan.</noscript>
${body}</body>
</html>
`;

const servedPage = pageWith(
  '<link rel="stylesheet" href="/app.css">\n<script type="module" src="/app.js"></script>',
);

/** One file that holds all it needs: it may be sent to others, opened from a disk, and connects to nobody. */
export function exportedPage({ script, style }: PageParts, run: ExportedRun): string {
  // What would end the element early is written in another way that means the same.
  const code = script.replaceAll(/<(?=\/script|!--|script)/gi, String.raw`\x3c`);
  const look = style.replaceAll(/<(?=\/style)/gi, String.raw`\3c `);
  const data = JSON.stringify(run).replaceAll("<", String.raw`\u003c`);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(look)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  return pageWith(
    `<meta http-equiv="content-security-policy" content="${policy}">\n<style>${look}</style>`,
    `<script type="application/json" id="slipway-run">${data}</script>\n<script type="module">${code}</script>\n`,
  );
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
