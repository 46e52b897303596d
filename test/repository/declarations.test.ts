import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { joinDeclarations } from "../../scripts/declarations/join-declarations.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "slipway-declarations-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Joins what the first of these files exports. */
function join(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return joinDeclarations(path.join(folder, Object.keys(files)[0] ?? ""));
}

const parts = {
  "parts/index.d.ts": 'export { open, type Door } from "./door.ts";\nexport interface Unused {\n}\n',
  "parts/door.d.ts":
    'import type net from "node:net";\nimport * as key from "./key.ts";\n/** A door. */\nexport interface Door {\n    key: key.Key;\n    bell: import("./key.ts").Bell;\n    socket: net.Socket;\n}\nexport declare const open: (door: Door) => void;\n',
  "parts/key.d.ts": "export interface Key {\n}\nexport declare class Bell {\n}\n",
};

test("joinDeclarations() brings what an entry exports and what that mentions, and nothing else", () => {
  const { text, unnamed } = join({
    "entry.d.ts":
      'export { open, type Door } from "./parts/index.ts";\nexport type { Key, Bell } from "./parts/key.ts";\n',
    ...parts,
  });
  expect(unnamed).toEqual([]);
  expect(text).toBe(`import type { default as net } from "node:net";
export interface Key {
}
declare class Bell {
}
/** A door. */
export interface Door {
    key: Key;
    bell: Bell;
    socket: net.Socket;
}
export declare const open: (door: Door) => void;
export { type Bell };
`);
});

test("joinDeclarations() names the types in a signature that cannot be imported", () => {
  const { unnamed } = join({ "entry.d.ts": 'export { open } from "./parts/index.ts";\n', ...parts });
  expect(unnamed.map((each) => each.split(" ", 1).join("")).toSorted()).toEqual(["Bell", "Door", "Key"]);
});

test("joinDeclarations() refuses types of other packages", () => {
  expect(() =>
    join({ "entry.d.ts": 'import { z } from "zod";\nexport type File = z.infer<unknown>;\n' }),
  ).toThrow("mentions z.infer of zod");
});

test("joinDeclarations() refuses two declarations of one name", () => {
  expect(() =>
    join({
      "entry.d.ts": 'export type { Key } from "./a.ts";\nexport type { Lock } from "./b.ts";\n',
      "a.d.ts": "export interface Key {\n}\n",
      "b.d.ts": "interface Key {\n}\nexport type Lock = Key;\n",
    }),
  ).toThrow('"Key" is declared in');
});
