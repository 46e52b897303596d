import { applyPolicies, clusterPhases, deletionPolicies } from "../../src/controller/index.ts";
import { conditions, count, list, object, text, texts, time, yesOrNo } from "./fields.ts";
import type { CustomKind } from "./custom-resource.ts";
import { partOfFile } from "./structural-schema.ts";

const spec = () =>
  object(
    "What is wanted.",
    {
      hosts: text("The SlipwayHosts that its machines run on.", { minLength: 1 }),
      cluster: {
        ...partOfFile("cluster"),
        description: "As it would stand below clusters: NAME: in a cluster file.",
      },
      apply: text("When plans are carried out. Left out: OnApproval.", { enum: [...applyPolicies] }),
      paused: yesOrNo("Nothing is written while it is true."),
      deletion: text(
        "What becomes of the cluster with the object: Delete machines and data disks, Retain data disks, or Orphan all of it. Left out: Retain.",
        { enum: [...deletionPolicies] },
      ),
      acceptDataLoss: list("Nodes and add-ons whose data may be lost.", { type: "string" }),
      secrets: object("Where the files of .slipway/CLUSTER/ are kept.", {
        name: text("The Secret. Left out: NAME-secrets."),
        documents: object(
          "Files encrypted by SOPS or age that come from git.",
          {
            configMap: text("The ConfigMap that holds them.", { minLength: 1 }),
            secret: text("The Secret that holds them, instead of a ConfigMap.", { minLength: 1 }),
          },
          [],
          [
            {
              rule: "has(self.configMap) != has(self.secret)",
              message: "documents are in a ConfigMap or in a Secret",
            },
          ],
        ),
      }),
      publishKubeconfig: yesOrNo(
        "Whether its kubeconfig is put into the Secret NAME-kubeconfig. Left out: true, and false where its secrets come as documents.",
      ),
      argocd: object("Registers the cluster in Argo CD.", {
        namespace: text("Argo CD's namespace. Left out: the controller's."),
        labels: texts("Labels of the Secret that ApplicationSets select by."),
      }),
    },
    ["hosts", "cluster"],
    [
      {
        rule: "!has(self.cluster.protect) || !self.cluster.protect || !has(self.deletion) || self.deletion != 'Delete'",
        message: "a protected cluster cannot have the deletion policy Delete",
      },
    ],
  );

const plan = object("What would be done now.", {
  digest: text("What an approval names."),
  madeAt: time("When it was made."),
  changes: count("How many changes."),
  waiting: count("Those that wait for their window."),
  summary: text("In one line."),
  steps: list(
    "The first of them.",
    object("A change.", {
      step: text("Its id."),
      title: text("What it does."),
      action: text("create, update or remove."),
      consequence: text("What it means for what runs there."),
    }),
  ),
  refused: list("What is left out, and why.", { type: "string" }),
});

const status = object("What is.", {
  observedGeneration: count("The generation this is about."),
  reachedGeneration: count("The newest generation that the cluster has been as asked for."),
  phase: text("In one word.", { enum: [...clusterPhases] }),
  conditions,
  plan,
  approved: object("The approval that a run was begun with.", {
    digest: text("Of the plan."),
    fileDigest: text("Of what the object says."),
    steps: list("Of each step.", { type: "string" }),
  }),
  kubernetesVersion: text("The version that runs."),
  osVersion: text("The version of the system."),
  distribution: text("talos, k3s, linux."),
  provider: text("proxmox, libvirt, existing."),
  endpoint: text("The URL of its API."),
  nodes: object("Its nodes.", { wanted: count("As the object says."), ready: count("Ready in Kubernetes.") }),
  kubeconfig: text("The Secret with its kubeconfig."),
  lastRun: object("The run before.", {
    name: text("The SlipwayRun."),
    command: text("up or down."),
    outcome: text("How it ended."),
    finishedAt: time("When."),
  }),
});

const ready = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;

export const clusterKind = (): CustomKind => ({
  kind: "SlipwayCluster",
  plural: "slipwayclusters",
  shortNames: ["swc"],
  spec: spec(),
  status,
  columns: [
    { name: "Ready", type: "string", jsonPath: ready("status") },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Kubernetes", type: "string", jsonPath: ".status.kubernetesVersion" },
    { name: "Nodes", type: "integer", jsonPath: ".status.nodes.ready" },
    { name: "Changes", type: "integer", jsonPath: ".status.plan.changes" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Message", type: "string", jsonPath: ready("message"), priority: 1 },
  ],
  // Names of clusters become names of machines and DNS labels.
  rules: [
    {
      rule: "size(self.metadata.name) <= 40 && self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')",
      message: "a cluster's name is at most 40 small letters, digits and dashes, and begins with a letter",
    },
  ],
});
