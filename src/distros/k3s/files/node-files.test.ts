import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { kubeVipManifest } from "./kube-vip.ts";
import { foundingFile, isFounding, joiningFile } from "./membership-file.ts";
import { namesManifest } from "./coredns-names.ts";
import { readCredentials, registryFiles } from "./registries-file.ts";
import { unitFile } from "./unit-file.ts";

test("membership files say who founds and who joins, and what joins nobody founds", () => {
  expect(parse(foundingFile())).toEqual({ "cluster-init": true });
  expect(parse(joiningFile("https://10.0.0.9:6443"))).toEqual({ server: "https://10.0.0.9:6443" });
  expect(isFounding(foundingFile())).toBe(true);
  expect(isFounding(joiningFile("https://10.0.0.9:6443"))).toBe(false);
  for (const text of ["", "server:", "cluster-init: true\n", ": broken", "[]"])
    expect(isFounding(text)).toBe(true);
});

test("unitFile() runs the role it is for, and never ends for good", () => {
  expect(unitFile("server")).toMatch(/^ExecStart=\/usr\/local\/bin\/k3s server$/m);
  expect(unitFile("server")).toContain("EnvironmentFile=-/etc/systemd/system/k3s.service.env\n");
  expect(unitFile("agent")).toMatch(/^ExecStart=\/usr\/local\/bin\/k3s agent$/m);
  expect(unitFile("agent")).toContain("EnvironmentFile=-/etc/systemd/system/k3s-agent.service.env\n");
  for (const line of [
    "Type=notify",
    "KillMode=process",
    "Delegate=yes",
    "Restart=always",
    "TimeoutStartSec=0",
  ])
    expect(unitFile("agent").split("\n")).toContain(line);
});

test("registryFiles() writes mirrors, credentials and authorities as K3s reads them", async () => {
  const settings = {
    registries: {
      "docker.io": { mirrors: ["https://mirror.lan", "https://mirror.lan/docker"] },
      "ghcr.io": { mirrors: ["https://mirror.lan/ghcr"], overridePath: true },
      "registry.lan:5000": {
        auth: { username: "deploy", password: { env: "REGISTRY_PASSWORD" } },
        ca: "-----BEGIN CERTIFICATE-----\n",
      },
      "quay.io": { auth: { token: { env: "QUAY" } }, insecure: true },
    },
  };
  const credentials = await readCredentials(settings, async (ref) => ("env" in ref ? `of ${ref.env}` : ""));
  const [file, authority, ...others] = registryFiles(settings, credentials);
  expect(others).toEqual([]);
  expect(authority).toEqual({
    path: "/etc/rancher/k3s/registry-registry.lan-5000.pem",
    mode: "0644",
    content: "-----BEGIN CERTIFICATE-----\n",
  });
  expect(file).toMatchObject({ path: "/etc/rancher/k3s/registries.yaml", mode: "0600" });
  expect(parse(file?.content ?? "")).toEqual({
    mirrors: {
      "docker.io": { endpoint: ["https://mirror.lan", "https://mirror.lan/docker/v2"] },
      "ghcr.io": { endpoint: ["https://mirror.lan/ghcr"] },
    },
    configs: {
      "registry.lan:5000": {
        auth: { username: "deploy", password: "of REGISTRY_PASSWORD" },
        tls: { ca_file: "/etc/rancher/k3s/registry-registry.lan-5000.pem" },
      },
      "quay.io": { auth: { identity_token: "of QUAY" }, tls: { insecure_skip_verify: true } },
    },
  });
});

test("registryFiles() has nodes share every image where they hand them on, and writes nothing where nothing is said", () => {
  const [file] = registryFiles({ embeddedRegistry: true }, {});
  expect(parse(file?.content ?? "")).toEqual({ mirrors: { "*": {} } });
  expect(registryFiles({}, {})).toEqual([]);
});

test("kubeVipManifest() runs on all servers whatever their taints, without waiting for services to work", () => {
  const objects = parseAllDocuments(kubeVipManifest({ vip: "10.0.0.9" })).map(
    (document) => document.toJS() as Record<string, unknown>,
  );
  expect(objects.map(({ kind }) => kind)).toEqual(["ServiceAccount", "Role", "RoleBinding", "DaemonSet"]);
  const daemonSet = objects.find(({ kind }) => kind === "DaemonSet") ?? {};
  const { template } = daemonSet["spec"] as {
    template: {
      spec: {
        hostNetwork: boolean;
        tolerations: unknown[];
        containers: { env: { name: string; value?: string }[] }[];
      };
    };
  };
  expect(template.spec).toMatchObject({
    hostNetwork: true,
    serviceAccountName: "kube-vip",
    tolerations: [{ operator: "Exists" }],
    nodeSelector: { "node-role.kubernetes.io/control-plane": "true" },
  });
  const env = new Map(template.spec.containers[0]?.env.map(({ name, value }) => [name, value]));
  expect(env.get("address")).toBe("10.0.0.9");
  expect(env.get("svc_enable")).toBe("false");
  expect(env.get("KUBERNETES_SERVICE_HOST")).toBe("127.0.0.1");
});

test("namesManifest() gives each name a block, as CoreDNS takes one list of hosts in each", () => {
  const { metadata, data } = namesManifest({
    "10.0.0.100": ["rancher.lan"],
    "10.0.0.5": ["nas", "files.lan"],
  });
  expect(metadata).toEqual({ name: "coredns-custom", namespace: "kube-system" });
  expect(data["slipway.server"]).toBe(
    `files.lan:53 nas:53 rancher.lan:53 {
    errors
    hosts {
        10.0.0.100 rancher.lan
        10.0.0.5 nas files.lan
        fallthrough
    }
    forward . /etc/resolv.conf
    cache 30
}
`,
  );
});
