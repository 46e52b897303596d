import { z } from "zod";
import { field, quote, type Refusal, refuse } from "./fields/field.ts";
import { anyText } from "./fields/common-fields.ts";
import { given } from "../../lib/index.ts";
import type { Jump } from "../model/jump.ts";
import { oneOf } from "./fields/one-of.ts";

type Place = Pick<Jump, "host" | "user" | "port">;

const place = (description: string) =>
  field(
    { type: "string", description, examples: ["admin@bastion.example.org", "root@192.168.1.20:2222"] },
    (written): Place | Refusal => {
      const next = "Write USER@HOST or USER@HOST:PORT, or a Host of your ~/.ssh/config";
      const text = typeof written === "string" ? written : "";
      if (text.includes(","))
        return refuse(
          "SPEC_BAD_JUMP",
          `${quote(written)} names several hosts`,
          "Write them as a list: [A, B]",
        );
      const [, user, bracketed, plain, port] =
        /^(?:ssh:\/\/)?(?:([^@\s]+)@)?(?:\[([\da-fA-F:.]+)\]|([A-Za-z\d](?:[\w.-]*)))(?::(\d{1,5}))?$/.exec(
          text,
        ) ?? [];
      const host = bracketed ?? plain;
      if (host === undefined || Number(port ?? 22) > 65_535 || Number(port ?? 22) === 0)
        return refuse("SPEC_BAD_JUMP", `${quote(written)} is not a host to log in to`, next);
      return { host, ...given({ user, port: port === undefined ? undefined : Number(port) }) };
    },
  );

/** One of them. `secret` says where a passphrase is found. */
export const jumpHostWith = <S extends z.ZodType>(secret: S) =>
  z.union([
    z
      .strictObject({
        to: place("The host: USER@HOST, with :PORT where it is not 22, or a Host of ~/.ssh/config."),
        keyFile: anyText({
          description:
            "The private key to log in with. Left out: what ~/.ssh/config, ssh-agent and ~/.ssh hold.",
          examples: ["~/.ssh/id_bastion"],
        }).optional(),
        passphrase: secret.optional().meta({
          description: "What opens the key file, if it is protected.",
          examples: [{ env: "BASTION_KEY" }],
        }),
        knownHosts: anyText({
          description:
            "The file that holds its host key. Left out: what ~/.ssh/config says, else ~/.ssh/known_hosts.",
          examples: ["./known_hosts"],
        }).optional(),
        hostKey: oneOf(
          {
            description:
              "What to do when its host key is seen for the first time: refuse it (`strict`), or trust it and remember it (`accept-new`). One that has changed is always refused.",
            examples: ["accept-new"],
          },
          ["strict", "accept-new"],
        ).optional(),
        transport: oneOf(
          {
            description:
              "Who speaks SSH: Slipway itself (`builtin`), or your own ssh program (`openssh`), which knows security keys, certificates and shared connections. Left out: Slipway itself, as long as it can.",
            examples: ["openssh"],
          },
          ["builtin", "openssh"],
        ).optional(),
      })
      .register(z.globalRegistry, { id: "hop", description: "A jump host and how to log in to it." }),
    place("A jump host: USER@HOST, or a Host of ~/.ssh/config."),
  ]);

/** Hosts to go through, one or a list, the nearest first. */
export const jumpOver = <H extends z.ZodType>(jumpHost: H, description: string) =>
  z
    .union([z.array(jumpHost).min(1), jumpHost])
    .optional()
    .meta({ description, examples: [["admin@bastion.example.org", "root@192.168.1.20"]] });
