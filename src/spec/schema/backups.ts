import { z } from "zod";
import { given } from "../../lib/index.ts";
import type { BackupPlace, Backups } from "../model/backups.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Path } from "../source/positions.ts";
import { anyText, reference } from "./fields/common-fields.ts";
import { duration, durationMs } from "./fields/duration.ts";
import { textField, wholeNumber } from "./fields/field.ts";
import { lazy } from "./fields/lazy.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { secret, secretRef, tls, tlsTrust } from "./host.ts";

const ages = {
  units: ["h", "d"],
  leastMs: durationMs(1, "h"),
  mostMs: durationMs(3650, "d"),
  advice: "Write a number and a unit, from 1h to 3650d, like 26h or 30d",
} as const;

const s3 = lazy(() =>
  z
    .strictObject({
      bucket: textField(
        { description: "The bucket.", examples: ["cluster-backups"] },
        {
          pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
          code: "SPEC_BAD_NAME",
          isNot: "the name of a bucket",
          next: "Write 3 to 63 small letters, digits, dots and hyphens",
        },
      ),
      prefix: textField(
        {
          description: "What the names of backups begin with, like a folder. Left out: nothing.",
          examples: ["slipway"],
        },
        {
          pattern: /^[A-Za-z0-9!_.*'()-]+(\/[A-Za-z0-9!_.*'()-]+)*$/,
          code: "SPEC_BAD_NAME",
          isNot: "a prefix for names in a bucket",
          next: "Write words of letters and digits with slashes between them, like backups/lab",
        },
      ).optional(),
      endpoint: textField(
        {
          description: "The server, where it is not Amazon's: MinIO, Ceph, Garage and the like.",
          examples: ["https://s3.example.org:9000"],
        },
        {
          pattern: /^https:\/\/[^\s/]+\/?$/,
          code: "SPEC_BAD_URL",
          isNot: "the address of an S3 server",
          next: "Write it like https://s3.example.org:9000; backups do not travel without TLS",
        },
      ).optional(),
      region: reference({
        description: "The region. Servers of your own mostly take any.",
        examples: ["eu-central-1"],
      }).prefault("us-east-1"),
      accessKey: secret.meta({
        description: "Where the access key id is found.",
        examples: [{ env: "AWS_ACCESS_KEY_ID" }],
      }),
      secretKey: secret.meta({
        description: "Where the secret access key is found.",
        examples: [{ env: "AWS_SECRET_ACCESS_KEY" }],
      }),
      tls: tls.optional(),
    })
    .register(z.globalRegistry, {
      id: "s3",
      description: "A bucket of S3, or of a server that speaks like it.",
      examples: [
        {
          bucket: "cluster-backups",
          accessKey: { env: "AWS_ACCESS_KEY_ID" },
          secretKey: { env: "AWS_SECRET_ACCESS_KEY" },
        },
      ],
    }),
);

const place = oneKeyOf(
  z.strictObject({
    folder: anyText({
      description:
        "A folder, best on another machine. Relative to the cluster file; made when it is missing.",
      examples: ["/mnt/nas/backups"],
    }).optional(),
    s3: s3.optional(),
  }),
  "folder or s3",
).register(z.globalRegistry, {
  id: "backupPlace",
  description: "Where backups go.",
  examples: [{ folder: "/mnt/nas/backups" }],
});

export const backupsSchema = lazy(() =>
  z
    .strictObject({
      places: z
        .array(place)
        .min(1)
        .register(z.globalRegistry, {
          description: "Where each backup goes: to all of them.",
          examples: [[{ folder: "/mnt/nas/backups" }]],
        }),
      keep: z
        .strictObject({
          newest: wholeNumber(
            { description: "How many of the newest stay.", examples: [14] },
            1,
            10_000,
          ).optional(),
          for: duration({ description: "How long each stays.", examples: ["30d"] }, ages).optional(),
        })
        .optional()
        .register(z.globalRegistry, {
          id: "keepBackups",
          description:
            "Which backups stay in a place after another one got there: those that one of the two wants. Left out: all.",
          examples: [{ newest: 14, for: "30d" }],
        }),
      maxAge: duration(
        {
          description:
            "How old the newest may be before `status` and `verify` say so. Left out: nobody asks.",
          examples: ["26h"],
        },
        ages,
      ).optional(),
    })
    .register(z.globalRegistry, {
      id: "backups",
      description:
        "Where backups go, how long they stay, how old the newest may be. Taken by `slipway backup`.",
      examples: [
        { places: [{ folder: "/mnt/nas/backups" }], keep: { newest: 14, for: "30d" }, maxAge: "26h" },
      ],
    }),
);

export function completeBackups(
  written: z.output<typeof backupsSchema> | undefined,
  document: LocatedDocument,
  path: Path,
): Backups | undefined {
  if (!written) return undefined;
  const { newest, for: forMs } = written.keep ?? {};
  const isKept = newest !== undefined || forMs !== undefined;
  return {
    places: written.places.map(placeOf),
    ...given({ keep: isKept ? given({ newest, forMs }) : undefined, maxAgeMs: written.maxAge }),
    at: document.locate(path),
  };
}

function placeOf({ folder, s3: bucket }: z.output<typeof place>): BackupPlace {
  if (!bucket) return { folder: folder ?? "" };
  const { prefix = "", endpoint, region, accessKey, secretKey } = bucket;
  return {
    s3: {
      ...{ bucket: bucket.bucket, prefix, region, tls: tlsTrust(bucket.tls) },
      ...given({ endpoint: endpoint?.replace(/\/$/, "") }),
      ...{ accessKey: secretRef(accessKey), secretKey: secretRef(secretKey) },
    },
  };
}
