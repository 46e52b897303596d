import { z } from "zod";
import { anyText, reference } from "./fields/common-fields.ts";
import { field, quote, refuse, textField, type FieldNotes, type Refusal } from "./fields/field.ts";
import { duration, durationMs } from "./fields/duration.ts";
import { lazy } from "./fields/lazy.ts";
import { oneOf } from "./fields/one-of.ts";

/** So many, or a share of all there are. */
export type Batch = { count: number } | { percent: number };

const mostWorkers = 1_000;
const batchAdvice = "Write how many at once, like 2, or a share of them, like 25%";

const batch = (notes: FieldNotes) =>
  field(
    {
      anyOf: [
        { type: "integer", minimum: 1, maximum: mostWorkers },
        { type: "string", pattern: "^[1-9]\\d?%$|^100%$" },
      ],
      ...notes,
    },
    (written): Batch | Refusal => {
      if (Number.isInteger(written) && Number(written) >= 1 && Number(written) <= mostWorkers)
        return { count: Number(written) };
      const percent = typeof written === "string" ? /^(\d{1,3})%$/.exec(written)?.[1] : undefined;
      if (percent !== undefined && Number(percent) >= 1 && Number(percent) <= 100)
        return { percent: Number(percent) };
      const isNumber = typeof written === "number" || percent !== undefined;
      return isNumber
        ? refuse("SPEC_OUT_OF_RANGE", `${quote(written)} is no number of workers`, batchAdvice)
        : refuse("SPEC_WRONG_TYPE", `${quote(written)} is neither a number nor a share`, batchAdvice);
    },
  );

const drainTimes = {
  units: ["s", "m", "h"],
  leastMs: durationMs(10, "s"),
  mostMs: durationMs(24, "h"),
  advice: "Write a number and a unit, from 10s to 24h, like 10m",
} as const;

const ownGate = {
  apiVersion: "postgresql.cnpg.io/v1",
  kind: "Cluster",
  name: "orders",
  namespace: "shop",
  condition: "Ready",
};

const gate = lazy(() =>
  z
    .strictObject({
      apiVersion: textField(
        { description: "Group and version of its kind.", examples: ["postgresql.cnpg.io/v1"] },
        {
          pattern: /^([a-z0-9.-]+\/)?v\d+((alpha|beta)\d+)?$/,
          code: "SPEC_BAD_NAME",
          isNot: "the version of an API",
          next: "Write one like apps/v1, or v1",
        },
      ),
      kind: reference({ description: "Its kind.", examples: ["Cluster"] }),
      name: reference({ description: "Its name.", examples: ["orders"] }),
      namespace: reference({
        description: "Its namespace. Left out: its kind has none.",
        examples: ["shop"],
      }).optional(),
      condition: anyText({
        description: "The condition in its status that has to be `True`.",
        examples: ["Ready"],
      }),
    })
    .register(z.globalRegistry, {
      id: "gate",
      description: "An object of the cluster, and the condition that has to hold before a node goes.",
      examples: [ownGate],
    }),
);

export const rolloutSchema = lazy(() =>
  z
    .strictObject({
      workers: batch({
        description:
          "How many workers may be away at once: a number, or a share of all workers, rounded down, at least one.",
        examples: [2, "25%"],
      }).prefault(1),
      drain: z
        .strictObject({
          timeout: duration(
            {
              description:
                "How long the pods of a node may take to leave it, within their disruption budgets.",
              examples: ["10m", "1h"],
            },
            drainTimes,
          ).prefault("10m"),
        })
        .prefault({})
        .register(z.globalRegistry, {
          id: "drain",
          description: "How nodes are emptied before they go.",
          examples: [{ timeout: "30m" }],
        }),
      storage: oneOf(
        {
          description:
            "What a node does before it goes while data that the cluster keeps on its nodes is not whole. wait: stay until it is, and go alone. ignore: go all the same.",
        },
        ["wait", "ignore"],
      ).prefault("wait"),
      gates: z
        .array(gate)
        .optional()
        .register(z.globalRegistry, {
          description:
            "What has to hold before a node goes and after it is back, beside what Slipway asks anyway.",
          examples: [[ownGate]],
        }),
    })
    .register(z.globalRegistry, {
      id: "rollout",
      description:
        "How a change that takes nodes away goes through the cluster: control planes one at a time, then the workers.",
      examples: [{ workers: "25%", drain: { timeout: "30m" } }],
    }),
);
