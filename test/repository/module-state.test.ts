import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !/(^|\/)(gen|testdata)\//.test(path),
);

const memo = "the same answer for the same question, kept because it takes long to find";
const ofItsKey = "a private part of the object it is filed under, and gone with it";

/** What a module may remember, and why: nothing by which one world could notice another. */
const allowed: Record<string, string> = {
  "addons/rancher/stand-in/authority.ts making": ofItsKey,
  "cli/views/text/width.ts segmenter": memo,
  "clients/talos/calls/resources.ts readLately": memo,
  "clients/talos/wire/connect-tls.ts contexts": memo,
  "distros/k3s/release/find-artifacts.ts running": ofItsKey,
  "distros/talos/config/patch/read-patch.ts readLately": memo,
  "lib/call-trace.ts timing":
    "which work waits for a call, known to that work and its own trace alone; one per trace would burden every promise",
  "lib/net/secure-socket.ts contexts": memo,
  "lib/time/on-abort.ts waiting": ofItsKey,
  "lib/time/standing-time.ts turns":
    "counts turns of the process's one event loop, which shows none of them by itself, for the virtual time that watches it",
  "lib/time/standing-time.ts works":
    "counts work on other threads of the process, which is one for all, as the event loop is that virtual time watches",
  "pki/load-x509.ts loading": memo,
  "pki/signing.ts signers": memo,
  "sim/kube/api/authentication.ts users": memo,
  "sim/kube/controllers/hold-controllers.ts running": ofItsKey,
  "sim/kube/kubelet/runtime.ts runtimes": ofItsKey,
  "sim/kube/site.ts sites": ofItsKey,
  "sim/proxmox/http/server.ts served": ofItsKey,
  "sim/proxmox/parameters/property-string.ts defaultKeys": memo,
  "sim/talos/api/server.ts nodeOf": ofItsKey,
  "sim/talos/certificates.ts authorities": memo,
  "sim/talos/certificates.ts maintenanceAuthorities": ofItsKey,
  "spec/schema/file.ts made": memo,
  "spec/schema/issues/describe-at.ts made": memo,
};

test("no module of src holds state that changes: it belongs to the world, the session or the clock that is passed in", () => {
  const found = sources.flatMap((path) =>
    stateIn(readFileSync(join(root, path), "utf8")).map((name) => `${path} ${name}`),
  );
  expect(found.toSorted()).toEqual(Object.keys(allowed).toSorted());
});

test("state is found by how it is declared and changed", () => {
  expect(stateIn("let count = 0;\nexport let last: string;\n")).toEqual(["count", "last"]);
  expect(stateIn("const seen = new Set<string>();\nconst see = (x: string) => seen.add(x);\n")).toEqual([
    "seen",
  ]);
  expect(stateIn("const all: string[] = [];\nfunction add() {\n  all.push('x');\n}\n")).toEqual(["all"]);
  expect(stateIn("const totals = { ms: 0 };\nconst add = () => {\n  totals.ms += 1;\n};\n")).toEqual([
    "totals",
  ]);
  expect(stateIn("const now = new AsyncLocalStorage<Timer>();\n")).toEqual(["now"]);
  expect(stateIn("const kinds = new Set(['a']);\nconst is = (x: string) => kinds.has(x);\n")).toEqual([]);
  expect(
    stateIn("function f() {\n  let inner = 0;\n  const seen = new Set();\n  seen.add(inner);\n}\n"),
  ).toEqual([]);
});

/** Names of what stands at the top level and can change. Files are formatted, so that the top level is what is not indented. */
function stateIn(text: string): string[] {
  const variables = [...text.matchAll(/^(?:export )?let (\w+)/gm)].map(([, name = ""]) => name);
  const contexts = [...text.matchAll(/^(?:export )?const (\w+)\b.*= new AsyncLocalStorage\b/gm)];
  const containers = text.matchAll(
    /^(?:export )?const (\w+)(?:: [^=]+)? =\s+(?:new (?:Map|Set|WeakMap|WeakSet|Array)\b|\[|\{)/gm,
  );
  const changed = [...containers].filter(([, name = ""]) => changes(name).test(text));
  return [...variables, ...[...contexts, ...changed].map(([, name = ""]) => name)];
}

const changes = (name: string): RegExp =>
  new RegExp(
    `(?<![\\w.#])${name}(?:\\.(?:add|set|delete|clear|push|unshift|splice|pop|shift|sort|reverse|fill)\\(` +
      `|(?:\\.\\w+|\\[[^\\]]+\\])\\s*(?:=(?![=>])|\\+=|-=|\\+\\+|--|\\?\\?=|\\|\\|=))`,
  );
