import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findKubectl, howToGetKubectl, runProgram } from "../../../test/support/kube/kubectl.ts";
import { kubeconfig } from "../../distros/k3s/files/trust.ts";
import { agentToken, serverToken, trustFiles } from "../../distros/k3s/files/trust.ts";
import { realClock, realRandom } from "../../lib/index.ts";
import { createK3sBundle } from "../../secrets/index.ts";
import { loopbackNetwork } from "../network.ts";
import { conditionOf, configure, lab, testHost } from "../../../test/support/sim-k3s-hosts.ts";
import { peers } from "../../../test/support/peers.ts";

const kubectl = findKubectl();

test.skipIf(kubectl === undefined)(
  `with the trust Slipway makes, servers and agents join pinned, and the real kubectl gets in offline (${howToGetKubectl})`,
  peers,
  async () => {
    const bundle = await createK3sBundle({ clock: realClock, random: realRandom, rsaBits: 1024 });
    const site = lab({ network: loopbackNetwork() });
    const settings = `token: ${serverToken(bundle)}\nagent-token: ${bundle.agentToken}\n`;
    const [first, second, worker] = ["cp-1", "cp-2", "worker-1"].map((name, index) =>
      testHost(site, name, `127.71.1.${index + 1}`),
    );
    if (!first || !second || !worker) throw new Error("three hosts were asked for");
    for (const file of trustFiles(bundle)) first.files.write(file.path, file.content);
    await configure(first, settings).start().ready();
    await configure(second, settings, { join: "127.71.1.1" }).start().ready();
    const onAgent = `token: ${agentToken(bundle)}\n`;
    await configure(worker, onAgent, { join: "127.71.1.2" }).start("agent").ready();
    for (const name of ["cp-1", "cp-2", "worker-1"])
      await site.until(() => conditionOf(site, name, "Ready")?.status === "True");

    const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-k3s-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const fields = { cluster: "lab", server: "https://127.71.1.2:6443" };
    const text = await kubeconfig(fields, bundle, { clock: realClock, random: realRandom });
    writeFileSync(path.join(folder, "config"), text);
    const args = ["--kubeconfig", path.join(folder, "config"), "get", "nodes", "-o", "wide"];
    const { stdout, stderr } = await runProgram(kubectl ?? "", args, { env: { HOME: folder } });
    expect(stdout, stderr).toMatch(/cp-1 +Ready +control-plane,etcd +\S+ +v1\.36\.3\+k3s1 +127\.71\.1\.1 /);
    expect(stdout).toMatch(/worker-1 +Ready +<none> +\S+ +v1\.36\.3\+k3s1 +127\.71\.1\.3 /);
  },
);
