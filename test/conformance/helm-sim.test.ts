import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findHelm, howToGetKubectl } from "../support/kube/kubectl.ts";
import { simulatedKube, type SimulatedKube } from "../support/kube/simulated-kube.ts";
import { peers } from "../support/peers.ts";

/** The real helm against the simulated cluster: where the two disagree, the simulator is wrong. */
let kube: SimulatedKube;
let chart = "";

const files: Record<string, string> = {
  "Chart.yaml": "apiVersion: v2\nname: harbour\nversion: 0.1.0\nappVersion: 1.0.0\n",
  "values.yaml": "image: harbour:1\nreplicas: 2\nmigrates: 'echo migrated'\n",
  "crds/boats.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boats.sea.example.com }
spec:
  group: sea.example.com
  scope: Namespaced
  names: { plural: boats, kind: Boat }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`,
  "templates/boat.yaml": `apiVersion: sea.example.com/v1
kind: Boat
metadata: { name: ida }
spec: { lengthM: 12 }
`,
  "templates/service.yaml": `apiVersion: v1
kind: Service
metadata: { name: harbour }
spec:
  selector: { app: harbour }
  ports: [{ port: 80, targetPort: 8080 }]
`,
  "templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: harbour }
spec:
  replicas: {{ .Values.replicas }}
  progressDeadlineSeconds: 60
  selector: { matchLabels: { app: harbour } }
  template:
    metadata: { labels: { app: harbour } }
    spec:
      containers: [{ name: harbour, image: "{{ .Values.image }}", ports: [{ containerPort: 8080 }] }]
`,
  "templates/migrate.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation }
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: migrate, image: harbour:1, command: [sh, -c, {{ .Values.migrates | quote }}] }]
`,
};

beforeAll(async () => {
  kube = await simulatedKube({ host: "127.66.3.1", nodes: ["cp-1", "worker-1", "worker-2"] });
  chart = path.join(kube.home, "harbour");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(chart, name)), { recursive: true });
    writeFileSync(path.join(chart, name), text);
  }
});

afterAll(() => kube.stop());

const install = (release: string, options = "") =>
  `upgrade --install ${release} ${chart} --namespace sea --create-namespace --wait --timeout 15s${options}`;

interface Release {
  name: string;
  status: string;
  revision: string;
}

const releases = async (): Promise<Release[]> =>
  JSON.parse(await kube.helm("list --namespace sea -o json")) as Release[];

const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "sea", name: "harbour" };
const imageOf = () => {
  const spec = kube.store.get(deployment)["spec"] as {
    template: { spec: { containers: { image: string }[] } };
  };
  return spec.template.spec.containers[0]?.image;
};

describe.skipIf(findHelm() === undefined)(
  `helm against the simulated cluster; ${howToGetKubectl}`,
  peers,
  () => {
    test("a chart with a definition, a hook, a service and a workload is installed to the end", async () => {
      const version = await kube.helm("version --short");
      expect(version).toMatch(/^v[34]\./);
      expect(await kube.helm(install("harbour"))).toContain("STATUS: deployed");
      expect(kube.store.get(deployment)).toMatchObject({ status: { readyReplicas: 2 } });
      const slices = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "sea" };
      expect(kube.store.list(slices)).toMatchObject([{ endpoints: [{}, {}], ports: [{ port: 8080 }] }]);
      expect(await kube.kubectl("logs -n sea job/migrate")).toBe("migrated");
      expect(await kube.kubectl("get boats -n sea -o name")).toBe("boat.sea.example.com/ida");
      expect(await releases()).toMatchObject([{ name: "harbour", status: "deployed", revision: "1" }]);
    });

    test("an upgrade rolls over, and a rollback rolls back", async () => {
      await kube.helm(install("harbour", " --set image=harbour:2"));
      expect(imageOf()).toBe("harbour:2");
      await kube.helm("rollback harbour 1 --namespace sea --wait --timeout 15s");
      expect(imageOf()).toBe("harbour:1");
      expect(await releases()).toMatchObject([{ revision: "3", status: "deployed" }]);
    });

    test("an image nobody has fails the upgrade, and the pod says why", async () => {
      kube.faults.cluster.add({ kind: "image-pull", image: "harbour:gone" });
      const failed = await kube.tryHelm(install("harbour", " --set image=harbour:gone").replace("15s", "3s"));
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain("UPGRADE FAILED");
      expect(await releases()).toMatchObject([{ status: "failed", revision: "4" }]);
      const events = await kube.kubectl(
        "get events -n sea --field-selector reason=Failed -o jsonpath={.items[*].message}",
      );
      expect(events).toContain('failed to resolve reference "harbour:gone": harbour:gone: not found');
      expect(await kube.kubectl("get pods -n sea -l app=harbour --no-headers")).toMatch(
        /ImagePullBackOff|ErrImagePull/,
      );
      kube.faults.cluster.clear();
      expect(await kube.helm(install("harbour", " --set image=harbour:gone"))).toContain("REVISION: 5");
    });

    test("a hook that fails stops the upgrade before anything is changed", async () => {
      const failed = await kube.tryHelm(install("harbour", " --set image=harbour:9 --set migrates=false"));
      expect(failed.code).toBe(1);
      expect(failed.stderr).toMatch(/pre-upgrade hooks failed/);
      expect(imageOf()).toBe("harbour:gone");
    });

    test("uninstalling leaves the definitions, and what hooks made, and nothing else", async () => {
      await kube.helm("uninstall harbour --namespace sea --wait --timeout 15s");
      expect(await releases()).toEqual([]);
      expect(kube.store.find(deployment)).toBeUndefined();
      expect(await kube.kubectl("get deployments,services,boats -n sea -o name")).toBe("");
      expect(await kube.kubectl("get crd -o name")).toBe(
        "customresourcedefinition.apiextensions.k8s.io/boats.sea.example.com",
      );
    });
  },
);
