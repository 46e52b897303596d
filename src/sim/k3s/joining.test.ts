import { expect, test } from "vitest";
import { reasonIn } from "../../distros/k3s/journal/journal.ts";
import { createAuthority } from "../../pki/index.ts";
import { realRandom } from "../../lib/index.ts";
import { loopbackNetwork } from "../network.ts";
import { paths } from "./paths.ts";
import {
  configure,
  founded,
  joined,
  kubeAt,
  lab,
  lastLine,
  password,
  testHost,
  things,
  tokenOn,
  type Lab,
} from "../../../test/support/sim-k3s-hosts.ts";
import { hashOfCa } from "./supervisor/token.ts";

const agents = `agent-token: agent-${password}\n`;

/** The last line of a second server that does not get in, and what Slipway makes of its journal. */
async function refusal(site: Lab, settings: string, join = "10.0.0.1") {
  const host = configure(testHost(site, "cp-2", "10.0.0.2"), settings, { join });
  expect(await host.start().ended()).toBe(1);
  return { code: reasonIn(host.journal)?.code, line: lastLine(host) };
}

test("a server that may not join says why in the words of the real one, and Slipway reads them", async () => {
  const site = lab();
  const { host } = await founded(site);
  const token = tokenOn(host);
  const agentToken = tokenOn(host, paths.agentToken);
  const hash = token.slice(3, 67);
  const other = "f".repeat(64);
  const preparing = "starting kubernetes: preparing server:";
  const cases: [settings: string, code: string, why: string][] = [
    [
      `token: K10${other}::server:${password}\n${agents}`,
      "K3S_CA_HASH_DIFFERENT",
      `token CA hash does not match the Cluster CA certificate hash: ${other} != ${hash}`,
    ],
    [`token: K10${hash}::server:wrong\n${agents}`, "K3S_NOT_AUTHORIZED", "not authorized"],
    [
      `token: ${token}\nagent-token: other\n`,
      "K3S_NOT_AUTHORIZED",
      "failed to validate server configuration: not authorized",
    ],
    [`token: ${agentToken}\n`, "K3S_NOT_AUTHORIZED", "not authorized"],
    [`token: K10abc::server:x\n`, "K3S_TOKEN_BROKEN", "invalid token CA hash length"],
    [`token: K10${hash}::server\n`, "K3S_TOKEN_BROKEN", "invalid token format"],
  ];
  for (const [settings, code, why] of cases)
    expect(await refusal(site, settings)).toEqual({ code, line: `level=fatal msg="${preparing} ${why}"` });
  expect(await refusal(site, `token: ${token}\n${agents}`, "10.0.0.9")).toEqual({
    code: "K3S_SERVER_UNREACHABLE",
    line: String.raw`level=fatal msg="${preparing} failed to get CA certs: Get \"https://10.0.0.9:6443/cacerts\": dial tcp 10.0.0.9:6443: connect: no route to host"`,
  });
  expect(site.program.state()[0]?.members).toHaveLength(1);
});

test("servers must agree on what concerns the whole cluster", async () => {
  const site = lab();
  const { host } = await founded(site);
  const other = `token: ${tokenOn(host)}\n${agents}flannel-backend: none\ncluster-cidr: 10.44.0.0/16\n`;
  const joiner = configure(testHost(site, "cp-2", "10.0.0.2"), other, { join: "10.0.0.1" });
  expect(await joiner.start().ended()).toBe(1);
  const said = joiner.journal.join("\n");
  expect(said).toContain('level=warning msg="critical configuration mismatched: flannel-backend"');
  expect(said).toContain("critical configuration mismatched: ClusterIPRanges.slice[0].IP.slice[13]");
  expect(reasonIn(joiner.journal)).toMatchObject({
    code: "K3S_SETTINGS_DIFFERENT",
    details: { keys: "cluster-cidr, flannel-backend" },
  });
  expect(lastLine(joiner)).toContain(
    "failed to validate server configuration: critical configuration value mismatch between servers",
  );
});

test("a server that is told whom to join but not with what founds a cluster of its own", async () => {
  const site = lab();
  await founded(site);
  const host = configure(testHost(site, "cp-2", "10.0.0.2"), agents, { join: "10.0.0.1" });
  await host.start().ready();
  expect(site.program.state().map(({ isAlone, founder }) => [founder, isAlone])).toEqual([
    ["cp-1", false],
    ["cp-2", true],
  ]);
});

test("a server that founds alone takes nobody in", async () => {
  const site = lab();
  const host = configure(testHost(site, "cp-1", "10.0.0.1"), `token: ${password}\n`);
  host.files.remove(`${paths.config}.d`);
  await host.start().ready();
  expect((await refusal(site, `token: ${tokenOn(host)}\n`)).line).toContain("etcd disabled");
});

test("authorities that are there before the first start are used, and a disk of another token is refused", async () => {
  const site = lab();
  const authority = await createAuthority({
    ...{ kind: "p256", organization: "ours", random: realRandom },
    ...{ notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000 },
  });
  const host = configure(testHost(site, "cp-1", "10.0.0.1"), `token: ${password}\n`);
  host.files.write(`${paths.tls}/server-ca.crt`, authority.cert);
  host.files.write(`${paths.tls}/server-ca.key`, authority.key);
  const run = host.start();
  await run.ready();
  expect(tokenOn(host)).toBe(`K10${hashOfCa(authority.cert)}::server:${password}`);
  await run.stop();
  configure(host, `token: ${"9".repeat(32)}\n`);
  expect(await host.start().ended()).toBe(1);
  expect(lastLine(host)).toContain("bootstrap data already found and encrypted with different token");
  expect(reasonIn(host.journal)?.code).toBe("K3S_TOKEN_DIFFERENT");
  configure(host, `token: ${password}\n`);
  host.files.write(`${paths.tls}/server-ca.crt`, `${authority.cert}\n`);
  expect(await host.start().ended()).toBe(1);
  expect(lastLine(host)).toContain("server-ca.crt newer than datastore and could cause a cluster outage");
  expect(reasonIn(host.journal)?.code).toBe("K3S_TRUST_FILES_NEWER");
});

test("a member that was removed wipes its database and joins again, or ends when nobody is named", async () => {
  const site = lab();
  const first = await founded(site);
  const settings = `token: ${tokenOn(first.host)}\n${agents}`;
  const second = await joined(site, 2, settings);
  await joined(site, 3, settings);
  await site.until(() => things(site, "Node").length === 3);
  const kube = kubeAt(site, first.host);
  const annotations = { "etcd.k3s.cattle.io/remove": "true" };
  await kube.patch({ apiVersion: "v1", kind: "Node", name: "cp-2" }, { metadata: { annotations } });
  expect(await second.run.ended()).toBe(1);
  expect(second.host.journal.join("\n")).toContain("This node has been removed from the cluster");
  expect(site.program.state()[0]?.members.map((member) => member.node)).toEqual(["cp-1", "cp-3"]);
  configure(second.host, settings);
  expect(await second.host.start().ended()).toBe(1);
  expect(lastLine(second.host)).toContain("tombstone file has been detected but --server is empty");
  expect(reasonIn(second.host.journal)?.code).toBe("K3S_TOMBSTONE");
  configure(second.host, settings, { join: "10.0.0.3" });
  await second.host.start().ready();
  expect(site.program.state()[0]?.members.map((member) => member.node)).toEqual(["cp-1", "cp-3", "cp-2"]);
});

test("what the machine lacks stops a server before anything else", async () => {
  const site = lab({
    hostFaults: [
      { kind: "no-memory-cgroup", host: "cp-2" },
      { kind: "clock-skew", host: "cp-3", skewMs: -3_600_000 },
      { kind: "port-taken", host: "cp-4", port: 2380 },
    ],
  });
  const { host } = await founded(site);
  const settings = `token: ${tokenOn(host)}\n${agents}`;
  const said = async (number: number) => {
    const other = testHost(site, `cp-${number}`, `10.0.0.${number}`);
    configure(other, settings, { join: "10.0.0.1" });
    expect(await other.start().ended()).toBe(1);
    return { code: reasonIn(other.journal)?.code, line: lastLine(other) };
  };
  const saying = (code: string, text: string) => ({ code, line: expect.stringContaining(text) as unknown });
  expect(await said(2)).toEqual(saying("K3S_CGROUPS", 'level=fatal msg="failed to find memory cgroup (v2)"'));
  expect(await said(3)).toEqual(
    saying("K3S_CLOCK", "x509: certificate has expired or is not yet valid: current"),
  );
  expect(await said(4)).toEqual(
    saying("K3S_PORT_TAKEN", "listen tcp 10.0.0.4:2380: bind: address already in use"),
  );
});

test("a port that somebody holds stops a server", async () => {
  const site = lab({ network: loopbackNetwork() });
  const host = configure(testHost(site, "cp-1", "127.71.0.1"), `token: ${password}\n`);
  await host.start().ready();
  const other = configure(testHost(site, "cp-1", "127.71.0.1"), `token: ${password}\n`);
  expect(await other.start().ended()).toBe(1);
  expect(lastLine(other)).toContain(
    "preparing server: init cluster datastore and https: listen tcp :6443: bind: address already in use",
  );
});

test("a learner that never gets to vote holds up the others", async () => {
  const site = lab({ faults: [{ kind: "learner-stuck", node: "cp-2" }] });
  const { host } = await founded(site);
  const settings = `token: ${tokenOn(host)}\n${agents}`;
  const stuck = configure(testHost(site, "cp-2", "10.0.0.2"), settings, { join: "10.0.0.1" });
  const run = stuck.start();
  await site.until(() => lastLine(stuck).includes("not yet been promoted from learner to voting member"));
  const held = configure(testHost(site, "cp-3", "10.0.0.3"), settings, { join: "10.0.0.1" });
  const waiting = held.start();
  await site.until(() => lastLine(held).includes("too many learner members in cluster"));
  expect([stuck, held].map((one) => reasonIn(one.journal)?.code)).toEqual(["K3S_LEARNER", "K3S_LEARNER"]);
  site.faults.cluster.clear();
  await Promise.all([run.ready(), waiting.ready()]);
  expect(host.journal.join("\n")).toMatch(/level=warning msg="Learner cp-2-[0-9a-f]{8} stalled at/);
});
