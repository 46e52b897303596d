import { expect, test } from "vitest";
import {
  configure,
  founded,
  joined,
  kubeAt,
  lab,
  password,
  testHost,
  tokenOn,
  type Lab,
  type TestHost,
} from "../../../../test/support/sim-k3s-hosts.ts";
import { paths } from "../paths.ts";

const secrets = (token: string): string => `token: ${token}\nagent-token: agent-${password}\n`;

const reset = (site: Lab, host: TestHost, from?: string) =>
  site.program.run?.(host, [
    "server",
    "--cluster-reset",
    ...(from === undefined ? [] : [`--cluster-reset-restore-path=${from}`]),
  ]);

const note = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, namespace: "default" });
const write = (site: Lab, host: TestHost, name: string) =>
  kubeAt(site, host).apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { of: name } },
    { fieldManager: "somebody" },
  );

function saved(site: Lab, host: TestHost): string {
  expect(site.program.run?.(host, ["etcd-snapshot", "save", "--name", "kept"]).code).toBe(0);
  const [path = ""] = host.files.below(paths.snapshots);
  return path;
}

test("one server comes back from a snapshot, with what was in it and not what came after it", async () => {
  const site = lab();
  const first = await founded(site);
  const token = tokenOn(first.host);
  const second = await joined(site, 2, secrets(token));
  await write(site, first.host, "before");
  const path = saved(site, first.host);
  expect((first.host.files.read(path)?.length ?? 0) % 512).toBe(32);
  await write(site, first.host, "after");
  expect(reset(site, first.host, path)?.stderr).toContain("bind: address already in use");
  await Promise.all([first.run.stop(), second.run.stop()]);

  configure(first.host, secrets(token), { join: "10.0.0.2" });
  expect(reset(site, first.host, path)).toMatchObject({ code: 1 });
  expect(reset(site, first.host, path)?.stderr).toContain(
    "cannot perform cluster-reset while server URL is set",
  );
  configure(first.host, secrets(token));
  expect(reset(site, first.host, "/no/such")?.stderr).toContain("snapshot path does not exist: /no/such");
  const done = reset(site, first.host, path);
  expect(done).toMatchObject({ code: 0 });
  expect(done?.stderr).toContain("Managed etcd cluster membership has been reset");
  expect(first.host.files.below("/var/lib/rancher/k3s/server/db").join(" ")).toMatch(/etcd-old-\d+/);
  expect(reset(site, first.host, path)?.stderr).toContain("membership was previously reset");

  await first.host.start().ready();
  expect(first.host.files.read(paths.resetFlag)).toBeUndefined();
  const kube = kubeAt(site, first.host);
  expect(await kube.get(note("before"))).toBeDefined();
  expect(await kube.get(note("after"))).toBeUndefined();
  expect(site.program.state().map(({ members }) => members.map(({ node }) => node))).toEqual([
    ["cp-1", "cp-2"],
    ["cp-1"],
  ]);
});

test("a new machine takes a snapshot with the token of its time, and no other", async () => {
  const site = lab();
  const first = await founded(site);
  const path = saved(site, first.host);
  const snapshot = first.host.files.read(path) ?? Buffer.alloc(0);
  await first.run.stop();
  const host = testHost(site, "cp-9", "10.0.0.9");
  host.files.write(path, snapshot, 0o600);
  expect(reset(site, host, path)?.stderr).toContain("please pass --token to complete the restoration");
  configure(host, secrets("another-password-of-32-characters"));
  expect(reset(site, host, path)?.stderr).toContain("encrypted with different token");
  configure(host, secrets(password));
  host.files.write(path, snapshot.subarray(0, -64), 0o600);
  expect(reset(site, host, path)).toMatchObject({ code: 1 });
  host.files.write(path, snapshot, 0o600);
  expect(reset(site, host, path)).toMatchObject({ code: 0 });
  await host.start().ready();
});
