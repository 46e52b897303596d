import { z } from "zod";
import { weekdays } from "../model/rollout.ts";
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

const rolloutTimes = {
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

const ownCommand = { command: ["./is-quiet.sh", "orders"], timeout: "1m" };

const gateFields = () =>
  z.strictObject({
    apiVersion: textField(
      { description: "Group and version of its kind.", examples: ["postgresql.cnpg.io/v1"] },
      {
        pattern: /^([a-z0-9.-]+\/)?v\d+((alpha|beta)\d+)?$/,
        code: "SPEC_BAD_NAME",
        isNot: "the version of an API",
        next: "Write one like apps/v1, or v1",
      },
    ).optional(),
    kind: reference({ description: "Its kind.", examples: ["Cluster"] }).optional(),
    name: reference({ description: "Its name.", examples: ["orders"] }).optional(),
    namespace: reference({
      description: "Its namespace. Left out: its kind has none.",
      examples: ["shop"],
    }).optional(),
    condition: anyText({
      description: "The condition in its status that has to be `True`.",
      examples: ["Ready"],
    }).optional(),
    command: z
      .array(anyText({ description: "The program, then what it is told.", examples: ["./is-quiet.sh"] }))
      .min(1)
      .optional()
      .register(z.globalRegistry, {
        description:
          "Instead of an object: a program of this computer that has to end with 0. It runs in the folder of the cluster file, without a shell and without the secrets in the environment.",
        examples: [ownCommand.command],
      }),
    timeout: duration(
      { description: "How long the command may take each time. Left out: 30s.", examples: ["1m"] },
      rolloutTimes,
    ).optional(),
  });

const partsOfObject = ["apiVersion", "kind", "name", "condition"] as const;

const gate = lazy(() =>
  gateFields()
    .superRefine((written, context) => {
      const { command, timeout, ...object } = written;
      const said = Object.values(object).filter((value) => value !== undefined);
      const missing = command ? [] : partsOfObject.filter((name) => written[name] === undefined);
      const tell = (fault: Refusal["fault"]): void =>
        context.addIssue({ code: "custom", input: written, params: { fault } });
      if (command && said.length > 0)
        tell(
          refuse(
            "SPEC_CHOOSE_ONE",
            "A gate is an object or a command, not both",
            "Write two gates, one with command and one without",
          ).fault,
        );
      else if (missing.length > 0)
        tell(
          refuse(
            "SPEC_MISSING_FIELD",
            `This gate has no ${missing.join(", ")}`,
            "Write apiVersion, kind, name and condition of an object, or command",
          ).fault,
        );
      else if (!command && timeout !== undefined)
        tell(
          refuse("SPEC_CHOOSE_ONE", "timeout belongs to a command", "Remove timeout: an object is only read")
            .fault,
        );
    })
    .register(z.globalRegistry, {
      id: "gate",
      description:
        "What has to hold before a node goes: a condition of an object of the cluster, or a command that ends well.",
      examples: [ownGate, ownCommand],
    }),
);

const timeOfDay = (notes: FieldNotes) =>
  textField(notes, {
    pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
    code: "SPEC_BAD_QUANTITY",
    isNot: "a time of day",
    next: "Write hours and minutes, from 00:00 to 23:59, like 02:00",
  });

const timeZone = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    try {
      if (typeof written === "string" && written !== "")
        return new Intl.DateTimeFormat("en", { timeZone: written }).resolvedOptions().timeZone;
    } catch {
      // Told below.
    }
    return refuse(
      "SPEC_BAD_NAME",
      `${quote(written)} is no time zone that is known here`,
      "Write one as the tz database names it, like Europe/Berlin, or UTC",
    );
  });

const weekend = { days: ["sat", "sun"], from: "02:00", to: "06:00", timeZone: "Europe/Berlin" };

const rolloutWindow = lazy(() =>
  z
    .strictObject({
      days: z
        .array(oneOf({ description: "A day on which it begins." }, weekdays))
        .min(1)
        .optional()
        .register(z.globalRegistry, {
          description: "Days on which it begins. Left out: every day.",
          examples: [weekend.days],
        }),
      from: timeOfDay({ description: "When it begins.", examples: [weekend.from] }),
      to: timeOfDay({
        description: "When it ends: on the next day where that is not later than `from`.",
        examples: [weekend.to],
      }),
      timeZone: timeZone({
        description: "Whose clock is meant.",
        examples: [weekend.timeZone],
      }).prefault("UTC"),
    })
    .register(z.globalRegistry, {
      id: "rolloutWindow",
      description:
        "When a change that takes nodes away, or may interrupt pods, may begin on a node. Outside of it such a change is planned and waits.",
      examples: [weekend],
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
            rolloutTimes,
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
          examples: [[ownGate, ownCommand]],
        }),
      window: rolloutWindow.optional(),
    })
    .register(z.globalRegistry, {
      id: "rollout",
      description:
        "How a change that takes nodes away goes through the cluster: control planes one at a time, then the workers.",
      examples: [{ workers: "25%", drain: { timeout: "30m" } }],
    }),
);
