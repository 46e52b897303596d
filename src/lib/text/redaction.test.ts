import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { cpuMs } from "../../../test/support/cpu-ms.ts";
import { Redaction } from "./redaction.ts";

test("a secret is hidden wherever it stands, also in base64 and in addresses", () => {
  const redaction = new Redaction();
  redaction.register("correct horse/battery\n");
  const base64 = Buffer.from("correct horse/battery").toString("base64");
  const told = {
    text: "password correct horse/battery was refused",
    deep: [{ data: base64, url: "https://me:correct%20horse%2Fbattery@registry" }],
    count: 3,
  };
  expect(redaction.redact(told)).toEqual({
    text: "password (secret) was refused",
    deep: [{ data: "(secret)", url: "https://me:(secret)@registry" }],
    count: 3,
  });
});

test("a private key is found by any of its lines", () => {
  const redaction = new Redaction();
  const line = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v_lib_test_VpguoRK9JLsLMREScVpe";
  const pem = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
  redaction.register(Buffer.from(pem).toString("base64"));
  expect(redaction.redact(`key: ${line}`)).toBe("key: (secret)");
  expect(redaction.redact("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
});

test("a key that nobody holds any more is forgotten, one that was named without a holder never is", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const redaction = new Redaction();
  const hides = () => ["a key of one plan", "the key of a file"].map((key) => redaction.redact(key));
  const holders = heldTwice(redaction, ["a key of one plan", "the key of a file"]);
  redaction.register("the key of a file");
  const collected = async (): Promise<string[]> => {
    collect();
    // What was collected is told in a turn of its own.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return hides();
  };
  holders.pop();
  expect(await collected()).toEqual(["(secret)", "(secret)"]);
  holders.pop();
  await expect.poll(collected).toEqual(["a key of one plan", "(secret)"]);
});

/** By two holders, who each name them more than once. */
function heldTwice(redaction: Redaction, keys: string[]): object[] {
  const holders = [{}, {}];
  for (const holder of [...holders, ...holders]) for (const key of keys) redaction.register(key, holder);
  return holders;
}

test("what is too short to be a secret stays in texts", () => {
  const redaction = new Redaction();
  redaction.register("lab");
  expect(redaction.redact("lab is up")).toBe("lab is up");
  expect(redaction.secrets).not.toContain("lab");
});

test("a server that tells the token in another spelling tells nothing [attack 14]", () => {
  const redaction = new Redaction();
  const token = "8c1f0a52-77Be-4f3d-9A0e-5d2b6c7e8f90";
  redaction.register(token);
  const bytes = Buffer.from(token);
  const shifted = (before: string) => Buffer.from(`${before}${token} and more`).toString("base64");
  const spellings = [
    token.toUpperCase(),
    token.toLowerCase(),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64url"),
    encodeURIComponent(token),
    bytes.toString("hex").replaceAll(/../g, "%$&"),
    ...["", "x", "xy", "xyz", "Authorization: PVEAPIToken=root@pam!me="].map(shifted),
  ];
  for (const spelling of spellings) {
    const told = redaction.redact(`before ${spelling} after`);
    expect(told, spelling).toContain("(secret)");
    // Whatever is left at the edges is no more than two letters of what was encoded.
    const decoded = Buffer.from(told.replace("(secret)", ""), "base64").toString("latin1");
    expect(`${told} ${decoded}`.toLowerCase(), spelling).not.toMatch(/77be|4f3d|9a0e|5d2b/);
  }
  expect(redaction.redact(`of two: ${token}${token}!`)).toBe("of two: (secret)(secret)!");
});

test("ten megabytes of log are looked through for many secrets in well under a second [attack 14]", async () => {
  const redaction = new Redaction();
  for (let index = 0; index < 60; index += 1)
    redaction.register(
      Buffer.from(`${index} a secret of the bench ${index * 7919} `.repeat(1 + (index % 40))).toString(
        "base64",
      ),
    );
  const line =
    '2026-01-01T00:00:00Z GET /api2/json/nodes/hydra/qemu/2001/status/current 200 {"data":{"cpu":0.1}}\n';
  const log = line.repeat(Math.ceil(10_000_000 / line.length));
  const tookMs = await cpuMs(() => expect(redaction.redact(log)).toBe(log));
  // Measured 245 to 650 ms; a processor that is shared computes several times more slowly, too.
  expect(tookMs).toBeLessThan(8_000);
});
