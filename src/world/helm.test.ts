import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { helmLab } from "../../test/support/addons/helm-lab.ts";
import { findHelm } from "../../test/support/kube/kubectl.ts";
import { readKubeconfig } from "../clients/kube/index.ts";
import { helmOnThisMachine } from "./helm.ts";
import { dialDirect, type Dial, type Target } from "../lib/index.ts";
import { peers } from "../../test/support/peers.ts";

const helm = findHelm();

test.skipIf(helm === undefined)(
  "helm reaches a cluster by a way of ours, and holds it to its own certificate",
  peers,
  async () => {
    await using lab = await helmLab("127.0.77.1");
    const folder = mkdtempSync(path.join(tmpdir(), "slipway-helm-world-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { hostname, port } = new URL(readKubeconfig(lab.kubeconfig).server);
    // A name that nobody can look up: helm cannot go there by itself.
    const behind = (name: string): string => {
      const config = parse(lab.kubeconfig) as { clusters: { cluster: Record<string, string> }[] };
      for (const { cluster } of config.clusters)
        Object.assign(cluster, { server: "https://api.invalid:6443", "tls-server-name": name });
      return JSON.stringify(config);
    };
    const dialled: Target[] = [];
    const dial: Dial = (to, signal) => {
      dialled.push(to);
      return dialDirect({ host: hostname, port: Number(port) }, signal);
    };
    const open = helmOnThisMachine({
      env: { ...process.env, SLIPWAY_HELM: helm },
      // As `.slipway` is beside a file that is named without its folder.
      folder: path.relative(process.cwd(), folder),
      stop: new AbortController().signal,
    });
    const { signal } = new AbortController();
    const client = await open({ kubeconfig: behind(hostname), dial });
    expect(await client.list({}, signal)).toEqual([]);
    expect(dialled[0]).toEqual({ host: "api.invalid", port: 6443 });
    expect(readdirSync(path.join(folder, "helm")).filter((name) => name.startsWith("call-"))).toEqual([]);
    const stranger = await open({ kubeconfig: behind("127.0.77.9"), dial });
    await expect(stranger.list({}, signal)).rejects.toThrow(/certificate|x509/);
    const without = await open({ kubeconfig: behind(hostname) });
    await expect(without.list({}, signal)).rejects.toMatchObject({
      code: expect.stringMatching(/^HELM_/) as string,
    });
  },
);
