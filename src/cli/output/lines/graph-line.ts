import { z } from "zod";
import type { MakeObject } from "./run-lines.ts";

const text = z.string();
const amount = z.number();
const texts = z.array(text);
const marked = { mark: text.optional(), note: text.optional() };

/** What a picture shows, as `src/exports/graph` has it: one of three views, each with its own fields. */
export const graphLine = (object: MakeObject) => ({
  ...{ view: z.enum(["topology", "network", "steps"]), from: text, shown: texts },
  ...{ file: text.optional(), format: text.optional() },
  clusters: z.array(cluster(object)).optional().describe("of topology"),
  networks: z.array(network(object)).optional().describe("of network"),
  machines: z.array(networkMachine(object)).optional().describe("of network"),
  steps: z.array(step(object)).optional().describe("of steps"),
});

const networkFacts = {
  ...{ bridge: text, dns: texts, vlan: amount.optional(), subnet: text.optional() },
  ...{ gateway: text.optional(), mtu: amount.optional() },
};

const cluster = (object: MakeObject) =>
  object({
    ...{ name: text, software: text, endpoint: text.optional(), vip: text.optional(), ...marked },
    network: object(networkFacts).optional(),
    addons: z.array(object({ name: text, ...marked })),
    hosts: z.array(object({ name: text, software: text, machines: z.array(machine(object)), ...marked })),
  });

const machine = (object: MakeObject) =>
  object({
    ...{ name: text, role: text, pool: text, address: text.optional(), vmid: amount.optional() },
    ...{ cores: amount.optional(), memoryMiB: amount.optional(), diskGiB: amount.optional() },
    dataDisks: z.array(object({ sizeGiB: amount, for: text.optional() })),
    ...marked,
  });

const network = (object: MakeObject) =>
  object({
    ...networkFacts,
    id: text,
    shared: z.array(object({ cluster: text, name: text, address: text, to: text.optional() })),
  });

const networkMachine = (object: MakeObject) =>
  object({
    ...{ name: text, role: text, pool: text, cluster: text, host: text, ...marked },
    nics: z.array(
      object({
        ...{ network: text, nic: amount, address: text.optional(), mac: text.optional() },
        bond: text.optional(),
      }),
    ),
  });

const step = (object: MakeObject) =>
  object({
    ...{ id: text, title: text, noun: text, plural: text, label: text, cluster: text, after: texts },
    ...{ host: text.optional(), node: text.optional(), usualMs: amount.optional(), ...marked },
  });
