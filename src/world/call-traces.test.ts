import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../test/support/libvirt/libvirtd.ts";
import { connectHelm } from "../clients/helm/index.ts";
import { openLibvirt } from "../clients/libvirt/index.ts";
import { connectSsh } from "../clients/ssh/index.ts";
import { CallTrace, realClock } from "../lib/index.ts";
import { peers } from "../../test/support/peers.ts";

/** What is told of calls, as the lines of `--log-level debug` put it. */
function listener(): { calls: CallTrace; heard: string[] } {
  const calls = new CallTrace();
  const heard: string[] = [];
  calls.listen((call) => heard.push(`${call.call} (${call.to}) ${call.outcome}`));
  return { calls, heard };
}

test.skipIf(!libvirtSocket)(`calls to libvirt are told (${withoutLibvirt})`, peers, async () => {
  const { calls, heard } = listener();
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system", calls });
  onTestFinished(() => client.close());
  await client.domains();
  await client.findDomain("slipway-test-nobody").catch(() => undefined);
  expect(heard).toEqual([
    "list machines (qemu:///system) ok",
    "find machine slipway-test-nobody (qemu:///system) LIBVIRT_NOT_FOUND",
  ]);
});

test("a run of helm is told, with its exit code", async () => {
  const { calls, heard } = listener();
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-helm-trace-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const helm = connectHelm({
    clock: realClock,
    calls,
    helm: { command: "helm", version: { major: 4, minor: 0, patch: 0 } },
    run: async () => ({ code: 1, stdout: "", stderr: "Error: release: not found" }),
    folder,
    kubeconfig: "none",
  });
  await helm.history({ name: "web", namespace: "web" }, new AbortController().signal);
  expect(heard).toEqual([expect.stringMatching(/^read release "web" \(helm\) exit 1$/)]);
});

test("a login over SSH is told, also one that fails", async () => {
  const { calls, heard } = listener();
  const login = connectSsh({
    host: "bastion",
    user: "admin",
    calls,
    password: async () => "unused",
    knownHosts: { files: [] },
    dial: () => Promise.reject(new Error("no way")),
  });
  await expect(login).rejects.toMatchObject({ code: "SSH_UNREACHABLE" });
  expect(heard).toEqual([expect.stringMatching(/^log in as admin \(bastion\) \w+$/)]);
});
