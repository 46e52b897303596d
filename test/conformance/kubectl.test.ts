import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realRandom, scaledClock } from "../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../src/pki/index.ts";
import { faultBox } from "../../src/sim/faults.ts";
import { kubeStore, registerNode, setNodeReady, startKubeApi } from "../../src/sim/kube/index.ts";
import { loopbackNetwork } from "../../src/sim/network.ts";
import { findHelm, findKubectl, howToGetKubectl, runProgram, type Outcome } from "../support/kubectl.ts";

/** The real kubectl and helm against the simulated API server: where they disagree, the simulator is wrong. */
const kubectlPath = findKubectl();
const helmPath = findHelm();

const host = "127.66.2.1";
const port = 16_443;
const clock = scaledClock(20);
const store = kubeStore(undefined, clock);
const home = mkdtempSync(path.join(os.tmpdir(), "slipway-kubectl-"));
const env = { HOME: home, KUBECONFIG: path.join(home, "config") };
let stop: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  const day = 86_400_000;
  const validity = { notBefore: Date.now() - day, lifetimeMs: 2 * day, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const serving = await issueCertificate({ authority, usages: ["server"], addresses: [host], ...validity });
  const admin = await issueCertificate({
    authority,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    ...validity,
  });
  const common = {
    network: loopbackNetwork(),
    host,
    port,
    store,
    clock,
    faults: faultBox(),
    version: "1.36.3",
  };
  const api = await startKubeApi({ ...common, ...serving, clientCa: authority.cert });
  stop = () => api.close();
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin@lab",
    contexts: [{ name: "admin@lab", context: { cluster: "lab", user: "admin" } }],
    clusters: [
      {
        name: "lab",
        cluster: { server: `https://${host}:${port}`, "certificate-authority-data": encode(authority.cert) },
      },
    ],
    users: [
      {
        name: "admin",
        user: { "client-certificate-data": encode(admin.cert), "client-key-data": encode(admin.key) },
      },
    ],
  };
  writeFileSync(env.KUBECONFIG, JSON.stringify(config), { mode: 0o600 });
  for (const [index, name] of ["cp-1", "worker-1", "worker-2"].entries()) {
    registerNode(store, {
      name,
      address: `10.0.0.${index + 1}`,
      isControlPlane: index === 0,
      kubeletVersion: "1.36.3",
      osImage: "Talos (v1.13.9)",
      kernelVersion: "6.18.5-talos",
      containerRuntime: "containerd://2.1.5",
      cores: 2,
      memoryMiB: 2048,
      taints: index === 0 ? [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] : [],
    });
    setNodeReady(store, name, true);
  }
});

afterAll(async () => {
  await stop();
  rmSync(home, { recursive: true, force: true });
});

const run = (args: string, input?: string, isEnough?: (stdout: string) => boolean): Promise<Outcome> =>
  runProgram(kubectlPath ?? "", args.split(" "), {
    env,
    ...(input !== undefined && { input }),
    ...(isEnough !== undefined && { isEnough }),
  });

/** Runs kubectl, which must succeed, and gives what it printed. */
async function kubectl(args: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  expect(`exit ${code}${code === 0 ? "" : ` ${stderr}`}`).toBe("exit 0");
  return stdout.trim();
}

const columns = (text: string): string[][] => text.split("\n").map((line) => line.trim().split(/ {2,}/));

const settings = (data: Record<string, string>, namespace = "default") =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace }, data });

const web = (image: string) =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image, ports: [{ containerPort: 80 }] }] },
      },
    },
  });

const boats = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.sea.example.com" },
  spec: {
    group: "sea.example.com",
    scope: "Namespaced",
    names: { plural: "boats", kind: "Boat", shortNames: ["bt"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "Length", type: "integer", jsonPath: ".spec.lengthM" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { lengthM: { type: "integer", description: "Length over all." } },
              },
            },
          },
        },
      },
    ],
  },
});

const boat = (lengthM: number) =>
  JSON.stringify({
    apiVersion: "sea.example.com/v1",
    kind: "Boat",
    metadata: { name: "ida" },
    spec: { lengthM },
  });

describe.skipIf(kubectlPath === undefined)(
  `kubectl against the simulated API server; ${howToGetKubectl}`,
  () => {
    test("kubectl get nodes prints what a real cluster prints", async () => {
      const [head, ...rows] = columns(await kubectl("get nodes"));
      expect(head).toEqual(["NAME", "STATUS", "ROLES", "AGE", "VERSION"]);
      expect(rows.map(([name, status, roles, , version]) => [name, status, roles, version])).toEqual([
        ["cp-1", "Ready", "control-plane", "v1.36.3"],
        ["worker-1", "Ready", "<none>", "v1.36.3"],
        ["worker-2", "Ready", "<none>", "v1.36.3"],
      ]);
      expect(await kubectl("get nodes -o wide")).toMatch(
        /cp-1 .* 10\.0\.0\.1 +<none> +Talos \(v1\.13\.9\) +6\.18\.5-talos +containerd:\/\/2\.1\.5/,
      );
      const list = JSON.parse(await kubectl("get nodes -o json")) as {
        kind: string;
        items: { kind: string }[];
      };
      expect(list).toMatchObject({
        kind: "List",
        items: [{ kind: "Node" }, { kind: "Node" }, { kind: "Node" }],
      });
      expect(await kubectl("get node cp-1 -o yaml")).toContain("kubeletVersion: v1.36.3");
      expect(await kubectl("wait --for=condition=Ready nodes --all --timeout=5s")).toContain(
        "node/cp-1 condition met",
      );
      expect(await kubectl("describe node worker-1")).toContain("kubelet is posting ready status");
    });

    test("kubectl learns versions, resources and who it is", async () => {
      expect(await kubectl("version")).toContain("Server Version: v1.36.3");
      expect(await kubectl("api-resources")).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
      expect(await kubectl("auth whoami")).toMatch(
        /Username +admin\nGroups +\[system:masters system:authenticated\]/,
      );
      expect(await kubectl("auth can-i delete nodes")).toBe("yes");
      expect(await kubectl("get --raw /readyz")).toBe("ok");
      expect(await run("get boats")).toMatchObject({
        code: 1,
        stderr: 'error: the server doesn\'t have a resource type "boats"\n',
      });
      expect(await run("get pod nobody")).toMatchObject({
        code: 1,
        stderr: 'Error from server (NotFound): pods "nobody" not found\n',
      });
    });

    test("server-side apply makes, changes, and refuses what others own", async () => {
      const apply = (options = "") => `apply --server-side -f -${options}`;
      expect(await kubectl(apply(), settings({ a: "1", b: "2" }))).toBe(
        "configmap/settings serverside-applied",
      );
      await kubectl(apply(), settings({ a: "9" }));
      expect(await kubectl("get configmap settings -o jsonpath={.data}")).toBe('{"a":"9"}');
      const refused = await run(apply(" --field-manager=other"), settings({ a: "7" }));
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.a');
      await kubectl(apply(" --field-manager=other --force-conflicts"), settings({ a: "7" }));
      const managers =
        "get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields";
      expect(await kubectl(managers)).toBe("other");
    });

    test("client-side apply converges, and a person may move on to server-side apply", async () => {
      await kubectl("create namespace client-side");
      const apply = (data: Record<string, string>) => kubectl("apply -f -", settings(data, "client-side"));
      expect(await apply({ a: "1", b: "2" })).toBe("configmap/settings created");
      expect(await apply({ a: "1", b: "2" })).toBe("configmap/settings unchanged");
      expect(await apply({ a: "3" })).toBe("configmap/settings configured");
      const read = "-n client-side get configmap settings -o jsonpath={.data}";
      expect(await kubectl(read)).toBe('{"a":"3"}');
      await kubectl("apply --server-side -f -", settings({ a: "4" }, "client-side"));
      expect(await kubectl(read)).toBe('{"a":"4"}');
      await kubectl("delete namespace client-side --timeout=10s");
      expect(await run("get namespace client-side")).toMatchObject({ code: 1 });
    });

    test("a deployment becomes available, rolls over, scales and goes with all it owns", async () => {
      await kubectl("apply -f -", web("nginx:1.27"));
      await kubectl("wait --for=condition=Available deployment/web --timeout=20s");
      await kubectl("apply -f -", web("nginx:1.28"));
      expect(await kubectl("rollout status deployment/web --timeout=20s")).toContain(
        "successfully rolled out",
      );
      await kubectl("scale deployment/web --replicas=3");
      await kubectl("rollout status deployment/web --timeout=20s");
      const pods = columns(await kubectl("get pods -l app=web --no-headers"));
      expect(pods.map(([, ready, status]) => [ready, status])).toEqual(
        Array.from({ length: 3 }, () => ["1/1", "Running"]),
      );
      await kubectl("delete deployment web --cascade=foreground --timeout=10s");
      expect(await kubectl("get replicasets,pods -l app=web")).toBe("");
    });

    test("nodes are labelled, drained and watched", async () => {
      await kubectl("label node worker-1 zone=a");
      expect(await kubectl("get nodes -l zone=a -o name")).toBe("node/worker-1");
      expect(await kubectl("drain worker-1 --timeout=10s")).toContain("node/worker-1 drained");
      let uncordoned: Promise<unknown> | undefined;
      const watched = await run("get nodes worker-1 --watch", undefined, (stdout) => {
        if (stdout.includes("worker-1")) uncordoned ??= kubectl("uncordon worker-1");
        // Whole lines only: the last one may still be on its way.
        return stdout.split("\n").length > 3;
      });
      await uncordoned;
      const statuses = columns(watched.stdout.trim()).map(([, status]) => status);
      expect(statuses).toEqual(["STATUS", "Ready,SchedulingDisabled", "Ready"]);
    });

    test("a custom resource is served, explained and removed with its definition", async () => {
      await kubectl("apply --server-side -f -", boats);
      await kubectl("wait --for=condition=Established crd/boats.sea.example.com --timeout=5s");
      await kubectl("apply --server-side -f -", boat(12));
      await kubectl("apply --server-side -f -", boat(14));
      expect(columns(await kubectl("get bt"))).toEqual([
        ["NAME", "LENGTH"],
        ["ida", "14"],
      ]);
      expect(await kubectl("explain boats.spec.lengthM")).toContain("Length over all.");
      await kubectl("delete crd boats.sea.example.com --timeout=5s");
      expect(await run("get bt")).toMatchObject({ code: 1 });
    });

    test("patches of all kinds do what kubectl means by them", async () => {
      await kubectl("apply -f -", web("nginx:1.27"));
      await kubectl(
        `patch deployment web --type=json -p [{"op":"replace","path":"/spec/replicas","value":1}]`,
      );
      await kubectl(`patch deployment web --type=merge -p {"metadata":{"labels":{"team":"sea"}}}`);
      const withVariable = `{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"A","value":"1"}]}]}}}}`;
      await kubectl(`patch deployment web -p ${withVariable}`);
      const found = JSON.parse(await kubectl("get deployment web -o json")) as unknown;
      expect(found).toMatchObject({
        metadata: { labels: { team: "sea" } },
        spec: {
          replicas: 1,
          template: { spec: { containers: [{ image: "nginx:1.27", env: [{ name: "A", value: "1" }] }] } },
        },
      });
      await kubectl("delete deployment web --timeout=10s");
    });
  },
);

describe.skipIf(helmPath === undefined)(`helm against the simulated API server; ${howToGetKubectl}`, () => {
  const helm = async (args: string): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(helmPath ?? "", args.split(" "), { env });
    expect(`exit ${code}${code === 0 ? "" : ` ${stderr}`}`).toBe("exit 0");
    return stdout;
  };

  test("a chart is installed, upgraded and uninstalled, each time to the end", async () => {
    const chart = path.join(home, "tiny");
    mkdirSync(path.join(chart, "templates"), { recursive: true });
    writeFileSync(path.join(chart, "Chart.yaml"), "apiVersion: v2\nname: tiny\nversion: 0.1.0\n");
    writeFileSync(
      path.join(chart, "templates", "deployment.yaml"),
      web("{{ .Values.image }}").replace('"namespace":"default"', '"namespace":"{{ .Release.Namespace }}"'),
    );
    writeFileSync(path.join(chart, "values.yaml"), "image: nginx:1.27\n");
    const at = `${chart} --namespace helm --create-namespace --wait --timeout 20s`;
    expect(await helm(`install tiny ${at}`)).toContain("STATUS: deployed");
    expect(await helm(`upgrade --install tiny ${at} --set image=nginx:1.28`)).toContain("REVISION: 2");
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "helm", name: "web" };
    expect(store.get(ref)).toMatchObject({
      spec: { template: { spec: { containers: [{ image: "nginx:1.28" }] } } },
      status: { readyReplicas: 2 },
    });
    await helm("uninstall tiny --namespace helm --wait --timeout 10s");
    expect(store.find(ref)).toBeUndefined();
  });
});
