import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { realRandom } from "../lib/index.ts";
import { createAuthority, issueCertificate } from "./index.ts";

const day = 86_400_000;
const notBefore = Date.UTC(2026, 0, 1);

test.each(["ed25519", "p256"] as const)(
  "issueCertificate() signs with a %s authority so that Node verifies it",
  async (kind) => {
    const authority = await createAuthority({
      kind,
      organization: "talos",
      notBefore,
      lifetimeMs: 3650 * day,
      random: realRandom,
    });
    const leaf = await issueCertificate({
      authority,
      organizations: ["os:admin"],
      usages: ["client"],
      addresses: ["10.0.0.5"],
      names: ["cp-1"],
      notBefore,
      lifetimeMs: 365 * day,
      random: realRandom,
    });
    const cert = new X509Certificate(leaf.cert);
    const issuer = new X509Certificate(authority.cert);
    expect(cert.verify(issuer.publicKey)).toBe(true);
    expect(cert.checkIP("10.0.0.5")).toBe("10.0.0.5");
    expect(cert.subject).toBe("O=os:admin");
    expect(cert.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(issuer.ca).toBe(true);
  },
);

test("createAuthority() leaves the subject empty when no organization is named", async () => {
  const authority = await createAuthority({ kind: "p256", notBefore, lifetimeMs: day, random: realRandom });
  expect(new X509Certificate(authority.cert).subject).toBeFalsy();
});

test("names with letters that a PrintableString may not have are written as UTF-8, which Go demands", async () => {
  const dates = { notBefore, lifetimeMs: day, random: realRandom };
  const authority = await createAuthority({
    kind: "p256",
    organization: "k3s-server-ca@1763280000",
    ...dates,
  });
  const der = new X509Certificate(authority.cert).raw;
  const at = der.indexOf("k3s-server-ca@1763280000");
  expect(der[at - 2]).toBe(0x0c);
  const plain = await createAuthority({ kind: "p256", organization: "kubernetes", ...dates });
  const other = new X509Certificate(plain.cert).raw;
  expect(other[other.indexOf("kubernetes") - 2]).toBe(0x13);
});
