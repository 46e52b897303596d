import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, type ProgramOptions, type RunProgram } from "../../lib/index.ts";
import { explainFailure } from "./explain-failure.ts";
import { connectHelm } from "./index.ts";

const signal = new AbortController().signal;
let folder: string;
let lines: string[];
let seen: ProgramOptions[];
let kubeconfigMode: number | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "slipway-helm-client-"));
  [lines, seen, kubeconfigMode] = [[], [], undefined];
  writeFileSync(path.join(folder, "web.tgz"), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const release = {
  version: 1,
  info: { status: "deployed" },
  chart: { metadata: { name: "web", version: "1.0.0" } },
};

/** A program that only listens. */
const listening: RunProgram = async (_command, args, options) => {
  lines.push(args.join(" "));
  seen.push(options);
  kubeconfigMode = statSync(options.env?.["KUBECONFIG"] ?? "", { throwIfNoEntry: false })?.mode;
  return { code: 0, stdout: args[0] === "upgrade" ? JSON.stringify(release) : "[]", stderr: "" };
};

const helm = (major: 3 | 4) =>
  connectHelm({
    clock: realClock,
    helm: { command: "helm", version: { major, minor: 20, patch: 0 } },
    run: listening,
    folder,
    kubeconfig: "client-key-data: private",
  });

const want = () => ({
  name: "web",
  namespace: "web",
  chart: { source: { path: path.join(folder, "web.tgz") } },
  values: { word: "on", token: "private" },
  timeoutMs: 90_500,
});

test("Helm 3 and Helm 4 are asked for the same, each in its own words", async () => {
  for (const major of [3, 4] as const) {
    await helm(major).list({ labels: "a=b" }, signal);
    await helm(major).upgradeInstall({ ...want(), isTakingOver: true, labels: { a: "b" } }, signal);
  }
  const upgrade = `upgrade web ${folder}/web.tgz --install --namespace web --values - --reset-values --output json --timeout 91s --history-max 10 --labels a=b --wait --take-ownership`;
  expect(lines).toEqual([
    "list --all-namespaces --output json --max 0 --all --selector a=b",
    upgrade,
    "list --all-namespaces --output json --max 0 --selector a=b",
    `${upgrade} --force-conflicts`,
  ]);
});

test("values go through stdin, the kubeconfig through a private file that is gone afterwards", async () => {
  await helm(4).upgradeInstall(want(), signal);
  expect(lines.join()).not.toContain("private");
  // What reads YAML as helm does takes a bare `on` for true.
  expect(seen[0]?.stdin).toBe('word: "on"\ntoken: private\n');
  expect((kubeconfigMode ?? 0) & 0o777).toBe(0o600);
  expect(() => statSync(seen[0]?.env?.["KUBECONFIG"] ?? "")).toThrow("ENOENT");
  expect(Object.values(seen[0]?.env ?? {}).join()).not.toContain("private");
  expect(seen[0]?.env).toMatchObject({
    HELM_NO_PLUGINS: "1",
    HELM_CACHE_HOME: path.join(folder, "helm", "cache"),
  });
});

test("rendering never finds a cluster", async () => {
  await helm(4).template({ ...want(), kubeVersion: "1.36.3", apiVersions: ["a/v1", "a/v1/B"] }, signal);
  expect(lines).toEqual([
    `template web ${folder}/web.tgz --namespace web --values - --kube-version 1.36.3 --api-versions a/v1 --api-versions a/v1/B --include-crds`,
  ]);
  expect(kubeconfigMode).toBeUndefined();
});

test.each([
  ["HELM_RELEASE_PENDING", "UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress"],
  [
    "HELM_NOT_OURS",
    'INSTALLATION FAILED: unable to continue with install: Service "a" in namespace "b" exists and cannot be imported into the current release: invalid ownership metadata',
  ],
  [
    "HELM_CLUSTER_UNREACHABLE",
    'kubernetes cluster unreachable: Get "https://10.0.0.1:6443/version": dial tcp',
  ],
  ["HELM_RENDER_FAILED", "template: web/templates/a.yaml:6:15: executing at <.Values.a>: nil pointer"],
  [
    "HELM_VALUES_REFUSED",
    "values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n- at '/a': got object",
  ],
  [
    "HELM_HOOK_FAILED",
    "INSTALLATION FAILED: failed post-install: 1 error occurred:\n\t* job check failed: BackoffLimitExceeded",
  ],
  [
    "HELM_NOT_READY",
    "UPGRADE FAILED: resource Deployment/web/web not ready. status: InProgress\ncontext deadline exceeded",
  ],
  ["HELM_NOT_READY", "INSTALLATION FAILED: timed out waiting for the condition"],
  [
    "HELM_WEBHOOK_FAILED",
    'INSTALLATION FAILED: failed calling webhook "webhook.cert-manager.io": dial tcp 10.96.0.9:443: connect: connection refused',
  ],
  ["HELM_FAILED", "something nobody has seen before"],
])("what helm says about a release becomes %s", (code, text) => {
  const tried = { what: 'install release "web"', release: { name: "web", namespace: "web" } };
  const error = explainFailure(
    `level=WARN msg="x"\nError: ${text}\n\nUse --debug flag to render out invalid YAML\n`,
    tried,
  );
  expect(error.code).toBe(code);
  expect(error.why).not.toMatch(/level=WARN|FAILED|--debug/);
});
