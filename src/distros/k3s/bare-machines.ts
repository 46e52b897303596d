import type { OnBareLinux } from "../linux-hosts/index.ts";
import { unitName, unitPath, type K3sRole } from "./files/unit-file.ts";
import { k3sPaths } from "./paths.ts";

const roles: K3sRole[] = ["server", "agent"];

/** What K3s is on a machine that exists, and how it goes from it. */
export const k3sOnBareLinux: OnBareLinux = {
  signs: [
    k3sPaths.configFolder,
    k3sPaths.dataFolder,
    "/etc/rancher/rke2",
    "/etc/kubernetes/kubelet.conf",
    ...roles.map(unitPath),
  ],
  async stop(host, signal) {
    for (const role of roles) {
      if (!(await host.exists(unitPath(role), signal))) continue;
      await host.systemctl(["disable", "--now", unitName(role)], signal);
      await host.remove(unitPath(role), signal);
    }
    await host.systemctl(["daemon-reload"], signal);
  },
  async clean(host, signal) {
    const folders = [k3sPaths.configFolder, k3sPaths.dataFolder, "/var/lib/kubelet", "/etc/rancher/node"];
    await host.run(["rm", "-rf", ...folders], { signal, deadlineMs: 300_000 });
    await host.remove(k3sPaths.binary, signal);
  },
};
