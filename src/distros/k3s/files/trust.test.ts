import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { realClock, realRandom } from "../../../lib/index.ts";
import { issueCertificate } from "../../../pki/index.ts";
import { createK3sBundle } from "../../../secrets/index.ts";
import { agentToken, caHash, kubeconfig, serverToken, trustFiles } from "../index.ts";
import { hasProgram, peers } from "../../../../test/support/peers.ts";

const issuing = { clock: realClock, random: realRandom };
const bundle = await createK3sBundle({ ...issuing, rsaBits: 2048 });
const blocksOf = (pem: string): string[] => pem.split(/(?<=-----END CERTIFICATE-----\n)/).filter(Boolean);

// Where these are skipped: install openssl.
const hasOpenssl = hasProgram("openssl", "version");

test.skipIf(!hasOpenssl)(
  "caHash() of a chain is what openssl calls the fingerprint of its root",
  peers,
  async () => {
    const file = path.join(await mkdtemp(path.join(os.tmpdir(), "slipway-k3s-trust-")), "root.pem");
    await writeFile(file, bundle.root.cert);
    const printed = execFileSync("openssl", ["x509", "-in", file, "-noout", "-fingerprint", "-sha256"], {
      encoding: "utf8",
    });
    const fingerprint = printed.trim().split("=")[1]?.replaceAll(":", "").toLowerCase();
    expect(caHash(bundle.authorities.server.cert)).toBe(fingerprint);
    // The order of those behind the first does not matter, and another authority below the same root has the same hash.
    const [own, intermediate, root] = blocksOf(bundle.authorities.server.cert);
    expect(caHash(`${own}${root}${intermediate}`)).toBe(fingerprint);
    expect(caHash(bundle.authorities.client.cert)).toBe(fingerprint);
  },
);

test.skipIf(!hasOpenssl)(
  "caHash() of a single certificate, or of a chain with a gap, counts the very bytes",
  peers,
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-k3s-trust-"));
    const sumOf = async (text: string) => {
      await writeFile(path.join(folder, "ca.pem"), text);
      const printed = execFileSync("openssl", ["dgst", "-sha256", "-r", "ca.pem"], {
        cwd: folder,
        encoding: "utf8",
      });
      return printed.split(" ")[0];
    };
    const [own, , root] = blocksOf(bundle.authorities.server.cert);
    for (const text of [bundle.root.cert, `${bundle.root.cert}\n`, `${own}${root}`])
      expect(caHash(text)).toBe(await sumOf(text));
  },
);

test("tokens name the root and who may join with them", () => {
  const root = createHash("sha256").update(new X509Certificate(bundle.root.cert).raw).digest("hex");
  expect(serverToken(bundle)).toBe(`K10${root}::server:${bundle.token}`);
  expect(agentToken(bundle)).toBe(`K10${root}::node:${bundle.agentToken}`);
});

test("trustFiles() puts everything a first server needs in place, and neither root nor intermediate key", () => {
  const files = trustFiles(bundle);
  expect(
    files.map(({ path: file, mode }) => `${mode} ${path.relative("/var/lib/rancher/k3s/server/tls", file)}`),
  ).toEqual([
    "0644 server-ca.crt",
    "0600 server-ca.key",
    "0644 client-ca.crt",
    "0600 client-ca.key",
    "0644 request-header-ca.crt",
    "0600 request-header-ca.key",
    "0644 etcd/peer-ca.crt",
    "0600 etcd/peer-ca.key",
    "0644 etcd/server-ca.crt",
    "0600 etcd/server-ca.key",
    "0600 service.key",
  ]);
  const written = files.map(({ content }) => content).join("");
  for (const { key } of [bundle.root, bundle.intermediate])
    expect(written).not.toContain(key?.split("\n")[1]);
});

test("a server with a certificate of ours and the kubeconfig's owner trust each other", async () => {
  const text = await kubeconfig({ cluster: "lab", server: "https://10.0.0.9:6443" }, bundle, issuing);
  const config = parse(text) as {
    clusters: { name: string; cluster: Record<string, string> }[];
    users: { name: string; user: Record<string, string> }[];
    "current-context": string;
  };
  expect(config["current-context"]).toBe("admin@lab");
  const field = (from: Record<string, string> | undefined, name: string) =>
    Buffer.from(from?.[name] ?? "", "base64").toString();
  const user = config.users[0]?.user;
  const admin = new X509Certificate(field(user, "client-certificate-data"));
  expect(admin.subject.split("\n").toSorted()).toEqual(["CN=system:admin", "O=system:masters"]);
  const days = (new Date(admin.validTo).getTime() - new Date(admin.validFrom).getTime()) / 86_400_000;
  expect(days).toBe(365);
  const served = await issueCertificate({
    authority: bundle.authorities.server,
    commonName: "k3s",
    usages: ["server"],
    addresses: ["127.0.0.1"],
    notBefore: Date.now(),
    lifetimeMs: 3_600_000,
    random: realRandom,
  });
  const server = tls.createServer({
    ...served,
    ca: bundle.authorities.client.cert,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const seen = new Promise<string>((resolve, reject) => {
    server.once("secureConnection", (socket) => resolve(String(socket.getPeerCertificate().subject.CN)));
    server.once("tlsClientError", reject);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const socket = tls.connect({
    host: "127.0.0.1",
    port,
    ca: field(config.clusters[0]?.cluster, "certificate-authority-data"),
    cert: field(user, "client-certificate-data"),
    key: field(user, "client-key-data"),
  });
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  expect(await seen).toBe("system:admin");
});
