import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectl, howToGetKubectl } from "../support/kube/kubectl.ts";
import { simulatedKube, type SimulatedKube } from "../support/kube/simulated-kube.ts";
import { peers } from "../support/peers.ts";

/** The real kubectl against the simulated API server: where they disagree, the simulator is wrong. */
const kubectlPath = findKubectl();
let kube: SimulatedKube;
const kubectl: SimulatedKube["kubectl"] = (...args) => kube.kubectl(...args);
const run: SimulatedKube["tryKubectl"] = (...args) => kube.tryKubectl(...args);

beforeAll(async () => {
  kube = await simulatedKube({ host: "127.66.2.1", nodes: ["cp-1", "worker-1", "worker-2"] });
});

afterAll(() => kube.stop());

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
  peers,
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

    test("a drain waits for the budget, and says which one when it may not go on", async () => {
      await kubectl("apply -f -", web("nginx:1.27"));
      const budget = {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "web", namespace: "default" },
        spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
      };
      await kubectl("apply -f -", JSON.stringify(budget));
      await kubectl("rollout status deployment/web --timeout=20s");
      await kubectl("wait --for=jsonpath={.status.currentHealthy}=2 pdb/web --timeout=10s");
      const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";
      const held = await run("drain worker-2", undefined, (_, stderr) => stderr.includes(refusal));
      expect(held.stderr).toMatch(/error when evicting pods\/"web-.*will retry after 5s/);
      expect(columns(await kubectl("get pdb"))).toMatchObject([
        ["NAME", "MIN AVAILABLE", "MAX UNAVAILABLE", "ALLOWED DISRUPTIONS", "AGE"],
        ["web", "2", "N/A", "0", expect.any(String)],
      ]);
      await kubectl(`patch pdb web --type=merge -p {"spec":{"minAvailable":1}}`);
      expect(await kubectl("drain worker-2 --timeout=20s")).toContain("node/worker-2 drained");
      await kubectl("uncordon worker-2");
      await kubectl("delete deployment,pdb web --timeout=10s");
    });

    test("a job runs its commands in the cluster, and its log is there to read", async () => {
      const job = {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "hello", namespace: "default" },
        spec: {
          template: {
            spec: {
              restartPolicy: "Never",
              containers: [
                { name: "hello", image: "busybox:1.37", command: ["sh", "-c", "echo one; echo two"] },
              ],
            },
          },
        },
      };
      await kubectl("apply --server-side -f -", JSON.stringify(job));
      expect(await kubectl("wait --for=condition=Complete job/hello --timeout=20s")).toContain(
        "condition met",
      );
      expect(await kubectl("logs job/hello")).toBe("one\ntwo");
      expect(await kubectl("logs job/hello --tail=1")).toBe("two");
      expect(columns(await kubectl("get jobs"))).toMatchObject([
        ["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE"],
        ["hello", "Complete", "1/1", expect.any(String), expect.any(String)],
      ]);
      expect(await kubectl("get pods -l job-name=hello --no-headers")).toMatch(/0\/1 +Completed/);
      await kubectl("delete job hello --timeout=10s");
    });

    test("what goes wrong is told in the words people know", async () => {
      kube.faults.cluster.add(
        { kind: "crash-loop", workload: "default/web-*", exitCode: 2, log: "panic: no harbour" },
        { kind: "unschedulable", workload: "default/lonely" },
      );
      await kubectl("apply -f -", web("nginx:1.27"));
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "lonely" },
        spec: { containers: [{ name: "a", image: "a:1" }] },
      };
      await kubectl("apply -f -", JSON.stringify(pod));
      await kubectl(
        "wait --for=jsonpath={.status.containerStatuses[0].restartCount}=1 pod -l app=web --timeout=20s",
      );
      expect(await kubectl("get pods -l app=web --no-headers")).toMatch(/0\/1 +CrashLoopBackOff +[1-9]/);
      expect(await kubectl("logs -l app=web --tail=1")).toContain("panic: no harbour");
      const told = await kubectl("describe pods --show-events");
      expect(told).toContain("Back-off restarting failed container web in pod web-");
      expect(told).toContain("Exit Code:    2");
      expect(told).toContain("0/3 nodes are available: 3 Insufficient memory.");
      const privileged = { ...pod, metadata: { name: "root" }, spec: { hostNetwork: true, containers: [] } };
      expect((await run("apply -f -", JSON.stringify(privileged))).stderr).toContain(
        'pods "root" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
      );
      kube.faults.cluster.clear();
      await kubectl("rollout status deployment/web --timeout=20s");
      await kubectl("wait --for=condition=Ready pod/lonely --timeout=20s");
      await kubectl("delete deployment/web pod/lonely --timeout=10s");
    });
  },
);
