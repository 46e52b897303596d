import { X509Certificate } from "node:crypto";
import type { CallContext, Handlers } from "../call.ts";
import { nodeNames, resolverOf, seconds } from "../cluster.ts";
import { cpuModels } from "../parameters/cpu-models.ts";
import { haDigest } from "../ha/ha.ts";
import { setNode } from "./node-power.ts";
import { versionOf } from "./cluster-calls.ts";

const frames = { hour: 60, day: 1800, week: 10_800, month: 43_200, year: 604_800, decade: 604_800 } as const;
const machineTypes = { 9: ["10.0", "9.2", "9.0"], 8: ["9.2", "9.0", "8.2"] } as const;

export const nodeInfoCalls: Handlers<
  | "POST /nodes/{node}/status"
  | "GET /nodes/{node}/dns"
  | "GET /nodes/{node}/time"
  | "GET /nodes/{node}/hosts"
  | "GET /nodes/{node}/config"
  | "GET /nodes/{node}/subscription"
  | "GET /nodes/{node}/lxc"
  | "GET /nodes/{node}/services"
  | "GET /nodes/{node}/certificates/info"
  | "GET /nodes/{node}/capabilities/qemu/cpu"
  | "GET /nodes/{node}/capabilities/qemu/machines"
  | "GET /nodes/{node}/capabilities/qemu/migration"
  | "GET /nodes/{node}/rrddata"
  | "GET /nodes/{node}/syslog"
> = {
  "POST /nodes/{node}/status": async ({ cluster }, { node, command }) => {
    await setNode(cluster, node, "off");
    if (command === "reboot") await setNode(cluster, node, "on");
  },

  "GET /nodes/{node}/dns": ({ cluster }) => {
    const { nameserver, search } = resolverOf(cluster);
    return { dns1: nameserver, search };
  },

  "GET /nodes/{node}/time": ({ cluster }, { node }) => {
    // Of the wall, however fast the datacenter runs: certificates are dated by it.
    const time = Math.floor(Date.now() / 1000) + (cluster.file.nodes[node]?.clockSkewSeconds ?? 0);
    return { timezone: "UTC", time, localtime: time };
  },

  "GET /nodes/{node}/hosts": (context) => {
    const data = ["127.0.0.1 localhost", ...nodeNames(context.cluster).map((name) => hostLine(context, name))]
      .map((line) => `${line}\n`)
      .join("");
    return { data, digest: haDigest([data]) };
  },

  "GET /nodes/{node}/config": () => ({}),
  "GET /nodes/{node}/subscription": () => ({
    status: "notfound",
    message: "There is no subscription key",
    url: "https://www.proxmox.com/en/proxmox-virtual-environment/pricing",
  }),
  "GET /nodes/{node}/lxc": () => [],
  "GET /nodes/{node}/services": () => [],

  "GET /nodes/{node}/certificates/info": ({ cluster }, { node }) =>
    [
      { filename: "pve-root-ca.pem", pem: cluster.state.authority.cert },
      { filename: "pve-ssl.pem", pem: cluster.state.certificates[node]?.cert ?? "" },
    ].map(({ filename, pem }) => {
      const certificate = new X509Certificate(pem);
      return {
        filename,
        pem,
        fingerprint: certificate.fingerprint256,
        subject: `/${certificate.subject.replaceAll("\n", "/")}`,
        issuer: `/${certificate.issuer.replaceAll("\n", "/")}`,
        notbefore: Math.floor(Date.parse(certificate.validFrom) / 1000),
        notafter: Math.floor(Date.parse(certificate.validTo) / 1000),
        san: (certificate.subjectAltName ?? "")
          .split(", ")
          .map((name) => name.replace(/^[^:]*:/, ""))
          .filter((name) => name !== ""),
      };
    }),

  "GET /nodes/{node}/capabilities/qemu/cpu": ({ cluster }) => cpuModels(cluster.version),

  "GET /nodes/{node}/capabilities/qemu/machines": ({ cluster }) =>
    ["q35", "i440fx"].flatMap((type) =>
      machineTypes[cluster.version].map((version) => ({ id: `pc-${type}-${version}`, type, version })),
    ),

  "GET /nodes/{node}/capabilities/qemu/migration": () => ({ "has-dbus-vmstate": true }),

  "GET /nodes/{node}/rrddata": ({ cluster }, { timeframe }) => {
    const step = frames[timeframe];
    const now = Math.floor(seconds(cluster) / step) * step;
    return Array.from({ length: 70 }, (_, index) => ({ time: now - (69 - index) * step }));
  },

  "GET /nodes/{node}/syslog": ({ cluster }, { node }) => [
    { n: 1, t: `${node} pvedaemon: pve-manager/${versionOf(cluster).version} started` },
  ],
};

function hostLine({ cluster }: CallContext, name: string): string {
  const address = cluster.file.nodes[name]?.address ?? cluster.addresses[name] ?? "127.0.0.1";
  return `${address} ${name}.${cluster.file.cluster} ${name}`;
}
