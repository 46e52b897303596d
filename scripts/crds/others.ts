import { rolloutPhases } from "../../src/controller/index.ts";
import { conditions, count, list, object, text, texts, time, yesOrNo } from "./fields.ts";
import type { CustomKind } from "./custom-resource.ts";
import { partOfFile } from "./structural-schema.ts";

const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;

export const hostsKind = (): CustomKind => ({
  kind: "SlipwayHosts",
  plural: "slipwayhosts",
  shortNames: ["swh"],
  spec: object(
    "What is wanted.",
    {
      hosts: {
        type: "object",
        description: "As below hosts: in a cluster file, by name.",
        additionalProperties: partOfFile("host"),
        minProperties: 1,
      },
      ageKey: object(
        "The age key that opens documents of clusters on them. Left out: what is in the environment of the controller.",
        {
          secret: object(
            "Where it is.",
            { name: text("The Secret.", { minLength: 1 }), key: text("Its key.", { minLength: 1 }) },
            ["name", "key"],
          ),
        },
        ["secret"],
      ),
      limits: object("What may happen on them at the same time.", {
        runs: count("How many clusters may be changed at the same time. Left out: 4.", 1),
      }),
    },
    ["hosts"],
  ),
  status: object("What is.", {
    observedGeneration: count("The generation this is about."),
    conditions,
    clusters: count("How many clusters are on them."),
    hosts: list(
      "Each of them.",
      object("A host.", {
        name: text("Its name."),
        isReachable: yesOrNo("Whether it answers."),
        machines: count("Machines of clusters on it."),
        message: text("Why it cannot be asked."),
      }),
    ),
  }),
  columns: [
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Clusters", type: "integer", jsonPath: ".status.clusters" },
    age,
  ],
  rules: [],
});

export const rolloutKind = (): CustomKind => ({
  kind: "SlipwayRollout",
  plural: "slipwayrollouts",
  shortNames: ["swr"],
  spec: object(
    "What is wanted.",
    {
      selector: object("Which clusters.", { matchLabels: texts("Labels they carry.") }, ["matchLabels"]),
      change: object(
        "What is written into them.",
        {
          versions: texts("Versions by what they are of, like kubernetes: 1.36.3."),
          patches: yesOrNo("Follow patch releases of the minor versions they have."),
        },
        [],
        [
          {
            rule: "(has(self.versions) && size(self.versions) > 0) || (has(self.patches) && self.patches)",
            message: "a roll-out changes something",
          },
        ],
      ),
      rings: {
        ...list(
          "One after the other.",
          object(
            "A ring.",
            {
              name: text("Its name.", { minLength: 1 }),
              clusters: {
                description: "A count, or a share of all: 10%.",
                "x-kubernetes-int-or-string": true,
              },
            },
            ["name", "clusters"],
          ),
        ),
        minItems: 1,
        maxItems: 20,
      },
      soak: text("How long a ring has to stay healthy, like 30m.", { pattern: "^[0-9]+(s|m|h)$" }),
      maxInProgress: count("Clusters changed at the same time.", 1),
      paused: yesOrNo("Nothing more is begun while it is true."),
    },
    ["selector", "change", "rings"],
  ),
  status: object("What is.", {
    observedGeneration: count("The generation this is about."),
    phase: text("In one word.", { enum: [...rolloutPhases] }),
    conditions,
    ring: text("The ring that is worked on."),
    soakingSince: time("Since when it is healthy."),
    rings: list(
      "Each of them.",
      object("A ring.", {
        name: text("Its name."),
        clusters: count("How many clusters it has."),
        updated: count("Those that are done."),
        failed: list("Those that failed.", { type: "string" }),
      }),
    ),
  }),
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Ring", type: "string", jsonPath: ".status.ring" },
    age,
  ],
  rules: [],
});

export const runKind = (): CustomKind => ({
  kind: "SlipwayRun",
  plural: "slipwayruns",
  shortNames: ["swrun"],
  spec: object(
    "What was done.",
    {
      cluster: text("The cluster."),
      command: text("up or down."),
      plan: text("The digest of its plan."),
      policy: text("Why it was done: Auto, or OnApproval."),
    },
    ["cluster", "command", "policy"],
    [{ rule: "self == oldSelf", message: "a run is history and cannot be changed" }],
  ),
  status: object("How it went.", {
    startedAt: time("When it began."),
    finishedAt: time("When it ended."),
    outcome: text("How it ended."),
    holder: text("Which controller did it."),
    steps: object("How many steps.", {
      finished: count("Done."),
      failed: count("Failed."),
      skipped: count("Not begun because of those."),
    }),
    failures: list(
      "The first of those that failed.",
      object("A step.", { step: text("Its id."), code: text("The error."), message: text("In words.") }),
    ),
    error: object("Why it ended before its steps.", { code: text("The error."), message: text("In words.") }),
  }),
  columns: [
    { name: "Cluster", type: "string", jsonPath: ".spec.cluster" },
    { name: "Command", type: "string", jsonPath: ".spec.command" },
    { name: "Outcome", type: "string", jsonPath: ".status.outcome" },
    age,
  ],
  rules: [],
});
