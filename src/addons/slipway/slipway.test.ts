import { expect, test } from "vitest";
import { addons as allAddons } from "../index.ts";
import { installAddons } from "../steps/index.ts";
import { addonCluster } from "../testdata/addon-cluster.ts";
import { controllerRules } from "./manifests.ts";

async function partsOf(addons: string) {
  const cluster = addonCluster(addons);
  const names = new Set(cluster.addons.map((addon) => addon.name));
  const found = (await installAddons(cluster, allAddons)).find(({ addon }) => addon.name === "slipway");
  if (!found) throw new Error("it is not installed");
  const { addon, installation, version, after } = found;
  return { parts: installation.parts({ addon, cluster, version, names }), after };
}

const namesIn = (parts: Awaited<ReturnType<typeof partsOf>>["parts"]) =>
  parts.map((part) => [
    part.name,
    ...(part.kind === "objects" ? part.objects.map(({ manifest }) => manifest.kind) : []),
  ]);

test("its name alone is enough; the kinds come before what uses them, and stay when it goes", async () => {
  const { parts } = await partsOf("- slipway");
  expect(namesIn(parts)).toEqual([
    ["namespace", "Namespace"],
    ["kinds", ...Array.from({ length: 4 }, () => "CustomResourceDefinition")],
    ["controller", "ServiceAccount", "Role", "RoleBinding", "Service", "Deployment"],
  ]);
  expect(parts.map((part) => part.kind === "objects" && (part.isKept ?? false))).toEqual([
    false,
    true,
    false,
  ]);
  expect(parts[2]?.awaits?.map(({ name, condition }) => `${name} ${condition}`)).toEqual(
    ["slipwayclusters", "slipwayhosts", "slipwayrollouts", "slipwayruns"].map(
      (plural) => `${plural}.slipway.dev Established`,
    ),
  );
});

test("beside the kinds of the Prometheus Operator it is watched, and comes after them", async () => {
  const { parts, after } = await partsOf("- slipway\n- prometheus-crds");
  expect(namesIn(parts).at(-1)).toEqual(["monitoring", "ServiceMonitor", "PrometheusRule"]);
  expect(after).toEqual(["prometheus-crds"]);
});

test("the pod runs as nobody, writes to volumes only, and takes image and Secrets as the file says", async () => {
  const { parts } = await partsOf(
    "- slipway: { image: 'registry.lan/slipway:next', replicas: 1, pullSecrets: [registry] }",
  );
  const objects = parts.flatMap((part) => (part.kind === "objects" ? part.objects : []));
  const deployment = objects.find(({ manifest }) => manifest.kind === "Deployment")?.manifest;
  expect(deployment).toMatchObject({
    spec: {
      replicas: 1,
      template: {
        spec: {
          imagePullSecrets: [{ name: "registry" }],
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              image: "registry.lan/slipway:next",
              args: ["controller"],
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    },
  });
});

test("no right is given with a star, and none beyond its own namespace", () => {
  const words = controllerRules.flatMap(({ apiGroups, resources, verbs }) => [
    ...apiGroups,
    ...resources,
    ...verbs,
  ]);
  expect(words).not.toContain("*");
  expect(() => addonCluster("- slipway: { replicas: 0 }")).toThrow(/replicas|0/);
});
