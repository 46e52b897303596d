import { expect, test } from "vitest";
import { scriptedKube } from "../../../test/support/kube/fake-client.ts";

const page = (names: string[], rest?: string) => ({
  body: {
    items: names.map((name) => ({ metadata: { name } })),
    metadata: { resourceVersion: "7", ...(rest !== undefined && { continue: rest }) },
  },
});
const status = (code: number, reason: string, message: string, details?: object) => ({
  code,
  body: { kind: "Status", code, reason, message, ...(details && { details }) },
});
const expired = status(410, "Expired", "The provided continue parameter is too old");

test("a list whose place was forgotten begins anew, and nothing is told twice", async () => {
  const answers = [page(["a", "b"], "two"), expired, page(["a", "b"], "two"), page(["c"])];
  const { kube, asked } = await scriptedKube((_path, count) => answers[count - 1] ?? page([]));
  const { items } = await kube.list({ apiVersion: "v1", kind: "Pod", pageLength: 2 });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
  expect(asked.map((url) => url.replace("/api/v1/pods?", ""))).toEqual([
    "limit=2",
    "limit=2&continue=two",
    "limit=2",
    "limit=2&continue=two",
  ]);
});

test("a list that is forgotten again and again is in the end read as a whole", async () => {
  const { kube, asked } = await scriptedKube((path) => {
    if (!path.includes("limit")) return page(["a", "b", "c"]);
    return path.includes("continue") ? expired : page(["a"], "two");
  });
  expect((await kube.list({ apiVersion: "v1", kind: "Pod" })).items).toHaveLength(3);
  expect(asked).toHaveLength(7);
});

test("a server without aggregated discovery is asked version by version, and one group that is down is left out", async () => {
  const { kube } = await scriptedKube((path) => {
    if (path === "/api") return { body: { kind: "APIVersions", versions: ["v1"] } };
    const versions = (name: string) => [{ groupVersion: `${name}/v1` }];
    if (path === "/apis")
      return {
        body: {
          groups: [{ versions: versions("sea.example.com") }, { versions: versions("down.example.com") }],
        },
      };
    if (path === "/apis/down.example.com/v1") return status(503, "ServiceUnavailable", "no endpoints");
    const resource = path === "/api/v1" ? ["nodes", "Node", false] : ["boats", "Boat", true];
    const [name, kind, namespaced] = resource;
    return {
      body: {
        resources: [
          { name, kind, namespaced, verbs: ["get"] },
          { name: `${String(name)}/status`, kind },
        ],
      },
    };
  });
  expect(await kube.kinds()).toEqual([
    { apiVersion: "v1", kind: "Node", resource: "nodes", isNamespaced: false, verbs: ["get"] },
    { apiVersion: "sea.example.com/v1", kind: "Boat", resource: "boats", isNamespaced: true, verbs: ["get"] },
  ]);
});

test("a token goes with every call, and what the server warns of is told", async () => {
  const warnings: string[] = [];
  const { kube } = await scriptedKube(
    (_path, _count, headers) => ({
      body: { gitVersion: String(headers["authorization"]) },
      headers: { warning: '299 - "would violate PodSecurity \\"restricted\\"", 299 - "old API"' },
    }),
    { onWarning: (text) => warnings.push(text) },
  );
  expect(await kube.version()).toBe("Bearer hush");
  expect(warnings).toEqual(['would violate PodSecurity "restricted"', "old API"]);
});

test.each([
  [status(503, "ServiceUnavailable", "no endpoints"), "KUBE_SERVER_ERROR", true],
  [status(504, "Timeout", "etcd did not answer"), "KUBE_OUTCOME_UNKNOWN", true],
  [status(401, "Unauthorized", "Unauthorized"), "KUBE_UNAUTHORIZED", false],
  [status(422, "Invalid", "spec.replicas: must not be negative"), "KUBE_INVALID", false],
  [
    status(429, "TooManyRequests", "Cannot evict pod", {
      retryAfterSeconds: 10,
      causes: [{ reason: "DisruptionBudget", message: "The disruption budget web is still being processed" }],
    }),
    "KUBE_EVICTION_HELD",
    true,
  ],
])("an answer %j becomes %s", async (answer, code, transient) => {
  const { kube, asked } = await scriptedKube(() => ({ ...answer, headers: { "retry-after": "10" } }));
  await expect(kube.evict({ namespace: "default", name: "web-1" })).rejects.toMatchObject({
    code,
    transient,
  });
  expect(asked).toHaveLength(1);
});

test("a write is waited for longer than a read: the server may be asking a webhook", async () => {
  const limits = { timeoutMs: 100, writeTimeoutMs: 5_000 };
  const down = status(
    500,
    "InternalError",
    'failed calling webhook "gate.example.com": context deadline exceeded',
  );
  const { kube } = await scriptedKube(() => ({ ...down, afterMs: 250 }), limits);
  await expect(kube.version()).rejects.toMatchObject({ code: "KUBE_TIMEOUT" });
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } };
  await expect(kube.apply(map)).rejects.toMatchObject({ code: "KUBE_WEBHOOK_DOWN", transient: true });
});

test("somebody inside the cluster is reached through the API server", async () => {
  const { kube, asked } = await scriptedKube(() => ({ body: { status: "up" } }));
  const target = { kind: "services" as const, namespace: "monitoring", name: "grafana", port: 3000 };
  expect(await kube.proxyGet({ ...target, path: "/api/health?full=1" })).toEqual({ status: "up" });
  await kube.proxyGet({ ...target, kind: "pods", isTls: true, path: "/" });
  expect(asked).toEqual([
    "/api/v1/namespaces/monitoring/services/grafana%3A3000/proxy/api/health?full=1",
    "/api/v1/namespaces/monitoring/pods/https%3Agrafana%3A3000/proxy/",
  ]);
});
