import { expect, test } from "vitest";
import { libvirtLife } from "../../../../test/support/libvirt/life.ts";
import { stepContext } from "../../../../test/support/libvirt/site.ts";
import { libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { inspectMachines } from "./inspect-machines.ts";
import { hostRegistry } from "../host-registry.ts";
import { peers } from "../../../../test/support/peers.ts";

test.skipIf(libvirtSocket === undefined)(
  `examineMachines() says who stopped a machine (${withoutLibvirt})`,
  { ...peers, timeout: 600_000 },
  async () => {
    const lab = await libvirtLife("slipway-test-why", "10.213.71.0/24");
    try {
      expect((await lab.up(lab.cluster([{}]))).failed).toEqual([]);
      const registry = hostRegistry([lab.host], async () => lab.client);
      const look = async () => {
        const survey = await lab.survey();
        // Others may have machines on this libvirt too.
        const ours = survey.machines.filter(({ cluster }) => cluster.startsWith("slipway-test-why"));
        const [nodeInspection] = await inspectMachines(stepContext(), registry, ours, survey);
        return [nodeInspection?.stoppedBy, nodeInspection?.evidence, nodeInspection?.error?.code];
      };
      expect(await look()).toEqual([undefined, "it runs", undefined]);
      const domains = await lab.client.domains();
      const domain = domains.find(({ name }) => name.startsWith("slipway-test-why"));
      if (!domain) throw new Error("the machine is not there");
      await lab.client.destroyDomain(domain);
      expect(await look()).toEqual(["a user", "libvirt says off, destroyed", "LIBVIRT_MACHINE_OFF"]);
    } finally {
      await lab.close();
    }
  },
);
