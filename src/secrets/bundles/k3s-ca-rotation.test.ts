import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { realClock, realRandom } from "../../lib/index.ts";
import { issueAdmin } from "../../pki/index.ts";
import {
  advancedK3s,
  createK3sBundle,
  k3sAuthorityNames,
  k3sBundleFromServer,
  parseK3sBundle,
  servedAuthority,
  servedBefore,
  trustedAuthority,
  writeK3sBundle,
} from "../index.ts";
import { certificateBlocks } from "./k3s-ca-rotation.ts";
import { hasProgram, peers } from "../../../test/support/peers.ts";

const options = { clock: realClock, random: realRandom, rsaBits: 1024 };
const old = await createK3sBundle(options);
const issuing = await advancedK3s(old, options);
const dropping = await advancedK3s(issuing, options);
const over = await advancedK3s(dropping, options);

test("an exchange makes every authority anew, and ends with nothing left of the old ones", () => {
  expect([issuing.rotation?.stage, dropping.rotation?.stage, over.rotation]).toEqual([
    "issue",
    "drop",
    undefined,
  ]);
  for (const name of k3sAuthorityNames) {
    expect(issuing.authorities[name].key).not.toBe(old.authorities[name].key);
    expect(servedAuthority(over, name)).toBe(issuing.authorities[name].cert);
    expect(servedBefore(issuing, name)).toBe(old.authorities[name].cert);
    expect(servedBefore(dropping, name)).toBe(servedAuthority(issuing, name));
  }
  expect([over.token, over.serviceKey]).toEqual([old.token, old.serviceKey]);
  const text = writeK3sBundle(over);
  for (const block of certificateBlocks(old.authorities.server.cert))
    expect(text).not.toContain(Buffer.from(block).toString("base64"));
});

test("while both are accepted the new one leads to the old root, one certificate after the other", () => {
  for (const name of k3sAuthorityNames) {
    const chain = certificateBlocks(servedAuthority(issuing, name)).map(
      (block) => new X509Certificate(block),
    );
    expect(chain).toHaveLength(6);
    for (const [index, one] of chain.slice(0, -1).entries()) {
      const above = chain[index + 1];
      expect(above && one.checkIssued(above) && one.verify(above.publicKey), `${name} ${index}`).toBe(true);
    }
    expect(chain.at(-1)?.raw).toEqual(new X509Certificate(old.root.cert).raw);
  }
});

test("a bundle under way is written and read back as it is, and damage is told by name", () => {
  const tokens = {
    nextTokens: { server: "a".repeat(64), agent: "b".repeat(64) },
    formerTokens: ["c".repeat(64)],
  };
  for (const bundle of [issuing, dropping, { ...over, ...tokens }])
    expect(parseK3sBundle(writeK3sBundle(bundle), "x")).toEqual(bundle);
  const damaged = writeK3sBundle({ ...issuing, ...tokens })
    .replace("stage: issue", "stage: accept")
    .replace(/former:\n.*\n/, "former: none\n");
  expect(() => parseK3sBundle(damaged, "x")).toThrow(
    expect.objectContaining({
      why: '"tokens.former" does not have the right form; "rotation.stage" does not have the right form',
    }),
  );
});

test("what a server has becomes a bundle without the keys above its authorities; one without a root is refused", () => {
  const { token, agentToken, authorities, serviceKey } = old;
  const found = { token, agentToken, authorities, serviceKey };
  const bundle = k3sBundleFromServer(found, "cp-1");
  expect(bundle).toEqual({
    ...found,
    root: { cert: old.root.cert },
    intermediate: { cert: old.intermediate.cert },
  });
  expect(bundle && parseK3sBundle(writeK3sBundle(bundle), "x")).toEqual(bundle);
  const [own = ""] = certificateBlocks(authorities.server.cert);
  const alone = { ...authorities, server: { ...authorities.server, cert: own } };
  expect(k3sBundleFromServer({ ...found, authorities: alone }, "cp-1")).toBeUndefined();
});

// Where this is skipped: install openssl.
test.skipIf(!hasProgram("openssl", "version"))(
  "openssl accepts a client of the new authority with nothing but the old root, and one of both at the end with the new",
  peers,
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-cross-"));
    const { cert } = await issueAdmin(issuing.authorities.client, "system:admin", options);
    await writeFile(path.join(folder, "leaf.pem"), cert);
    await writeFile(path.join(folder, "chain.pem"), servedAuthority(issuing, "client"));
    await writeFile(path.join(folder, "old.pem"), old.root.cert);
    await writeFile(path.join(folder, "new.pem"), over.root.cert);
    await writeFile(path.join(folder, "final.pem"), trustedAuthority(over, "client"));
    const verify = (root: string, chain: string): string =>
      execFileSync("openssl", ["verify", "-CAfile", root, "-untrusted", chain, "leaf.pem"], {
        cwd: folder,
        encoding: "utf8",
      });
    expect(verify("old.pem", "chain.pem")).toBe("leaf.pem: OK\n");
    expect(verify("new.pem", "final.pem")).toBe("leaf.pem: OK\n");
    expect(() => verify("old.pem", "final.pem")).toThrow(/Command failed/);
  },
);
