import { expect, test } from "vitest";
import { resourceKinds } from "../../../clients/talos/index.ts";
import { dialDirect } from "../../../lib/index.ts";
import { bringUp, talosLab, until } from "../../../../test/support/talos/lab.ts";

const address = "127.57.0.2";
const endpoint = `https://${address}:6443`;

const isServing = (): Promise<boolean> =>
  dialDirect({ host: address, port: 6443 }, AbortSignal.timeout(5_000)).then(
    (socket) => {
      socket.destroy();
      return true;
    },
    () => false,
  );

test("an API server setting is answered at once; the static pod goes a moment later and comes back with it [talos 2]", async () => {
  await using lab = await talosLab({ endpoint, latencies: { staticPodMs: 300, staticPodRestartMs: 600 } });
  await bringUp(lab, [{ name: "cp-1", address, role: "control-plane" }]);
  const client = lab.connect(address);
  await until(isServing);
  const versions = async (): Promise<unknown[]> =>
    (await client.listResources(resourceKinds.staticPods)).map(({ id, spec }) => [
      id,
      (spec as { metadata: { annotations: Record<string, string> } }).metadata.annotations,
    ]);
  const first = { "talos.dev/config-version": "1", "talos.dev/secrets-version": "1" };
  expect(await versions()).toEqual([
    ["kube-apiserver", first],
    ["kube-controller-manager", first],
    ["kube-scheduler", first],
  ]);
  const config = (await client.machineConfig()) ?? "";
  const changed = config.replace(/^cluster:$/m, "cluster:\n  apiServer:\n    extraArgs: { v: '4' }");
  expect(changed).not.toBe(config);
  expect(await client.applyConfig(changed)).toMatchObject({ mode: "no-reboot" });
  expect(await isServing()).toBe(true);
  await until(async () => !(await isServing()));
  expect((await client.machineStatus())?.unmet).toContainEqual({
    name: "staticPods",
    reason: "kube-system/kube-apiserver-cp-1 not ready",
  });
  await until(isServing);
  expect(await versions()).toEqual([
    ["kube-apiserver", { ...first, "talos.dev/config-version": "2" }],
    ["kube-controller-manager", first],
    ["kube-scheduler", first],
  ]);
});
