import { expect, test } from "vitest";
import { newSshKey, realRandom } from "../../../lib/index.ts";
import { hostKeyReader } from "./printed-host-keys.ts";

const [type = "", key = ""] = newSshKey(realRandom).public.split(" ");
const line = `${type} ${key} root@web-1`;
const ecdsa =
  "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=";
const begin = "-----BEGIN SSH HOST KEY KEYS-----";
const end = "-----END SSH HOST KEY KEYS-----";

const read = (...lines: string[]) => {
  const reader = hostKeyReader();
  return lines.map((each) => reader(each)).findLast((keys) => keys !== undefined);
};

test("the keys between the marks are read, of every type", () => {
  expect(read("noise", begin, `ecdsa-sha2-nistp256 ${ecdsa} root@web-1`, line, end, "noise")).toEqual([
    { type: "ecdsa-sha2-nistp256", key: ecdsa },
    { type, key },
  ]);
});

test("a prompt may stand before the first mark", () => {
  expect(read(`web-1 login: ${begin}`, line, end)).toEqual([{ type, key }]);
});

test("a key that the kernel has printed into is left out, the others are good", () => {
  const spoilt = `ecdsa-sha2-nistp256 ${ecdsa.slice(0, 40)}[   20.1] random: crng init done`;
  expect(read(begin, spoilt, ecdsa.slice(40), line, end)).toEqual([{ type, key }]);
});

test("the last block counts", () => {
  const other = newSshKey(realRandom).public;
  expect(read(begin, line, end, begin, other, end)).toEqual([{ type, key: other.split(" ")[1] }]);
});

test.each([
  [
    "fingerprints only",
    ["-----BEGIN SSH HOST KEY FINGERPRINTS-----", line, "-----END SSH HOST KEY FINGERPRINTS-----"],
  ],
  ["a key outside of the marks", [line, begin, end, line]],
  ["a block without an end", [begin, line]],
  ["an end without a beginning", [line, end]],
  ["a key that is cut off", [begin, `${type} ${key.slice(0, -8)}`, end]],
  ["a key of another type than it says", [begin, `ssh-rsa ${key}`, end]],
  ["what others said, quoted", [`name "${begin}" is taken`, line, end]],
])("nothing is read from %s", (_, lines) => {
  expect(read(...lines)).toBeUndefined();
});
