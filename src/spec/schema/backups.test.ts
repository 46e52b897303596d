import { expect, test } from "vitest";
import { labFile } from "../../../test/support/lab-file.ts";
import { parseFleet } from "../index.ts";

const parse = (backups: string, own = "") =>
  parseFleet({
    file: "lab.yaml",
    text: labFile(
      `  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
${own}`,
      { before: `backups: ${backups}\n` },
    ),
  });

const backupsOf = (...texts: Parameters<typeof parse>) => {
  const parsed = parse(...texts);
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("; "));
  return parsed.fleet.clusters[0]?.backups;
};

const keys = "accessKey: { env: A }, secretKey: { env: B }";

test("backups of the file count for every cluster that says nothing else", () => {
  expect(backupsOf("{ places: [{ folder: ./b }], keep: { newest: 3, for: 2d }, maxAge: 26h }")).toMatchObject(
    {
      places: [{ folder: "./b" }],
      keep: { newest: 3, forMs: 172_800_000 },
      maxAgeMs: 93_600_000,
    },
  );
  const own = `    backups: { places: [{ s3: { bucket: own-one, prefix: a/b, endpoint: "https://s3.lan:9000/", ${keys} } }] }\n`;
  expect(backupsOf("{ places: [{ folder: ./b }] }", own)?.places).toEqual([
    {
      s3: {
        ...{ bucket: "own-one", prefix: "a/b", region: "us-east-1", tls: { system: true } },
        ...{ endpoint: "https://s3.lan:9000", accessKey: { env: "A" }, secretKey: { env: "B" } },
      },
    },
  ]);
});

test.each([
  ["no place", "{ places: [] }", "SPEC_"],
  [
    "two kinds of place in one",
    `{ places: [{ folder: b, s3: { bucket: own-one, ${keys} } }] }`,
    "SPEC_CHOOSE_ONE",
  ],
  [
    "a server without TLS",
    `{ places: [{ s3: { bucket: own-one, endpoint: "http://s3.lan", ${keys} } }] }`,
    "SPEC_BAD_URL",
  ],
  ["a bucket that cannot be", `{ places: [{ s3: { bucket: Own_One, ${keys} } }] }`, "SPEC_BAD_NAME"],
  [
    "a prefix that leaves it",
    `{ places: [{ s3: { bucket: own-one, prefix: "/a", ${keys} } }] }`,
    "SPEC_BAD_NAME",
  ],
  ["an age without a unit", "{ places: [{ folder: b }], maxAge: 26 }", "SPEC_BAD_QUANTITY"],
  ["an age out of range", "{ places: [{ folder: b }], maxAge: 0h }", "SPEC_OUT_OF_RANGE"],
])("refuses %s", (_what, backups, code) => {
  const parsed = parse(backups);
  expect("problems" in parsed ? parsed.problems.map((each) => each.code).join() : "none").toContain(code);
});

test("a key in the file itself is taken for the secret that it is, and not told", () => {
  const parsed = parse(
    "{ places: [{ s3: { bucket: own-one, accessKey: { env: A }, secretKey: very-secret-key } }] }",
  );
  const problems = "problems" in parsed ? parsed.problems : [];
  expect(problems.map(({ what }) => what)).toEqual(["The secretKey itself is in the file"]);
  expect(JSON.stringify(problems.map(({ what, next }) => [what, next]))).not.toContain("very-secret-key");
});
