import { expect, test } from "vitest";
import { libvirtLife } from "../../../test/support/libvirt-life.ts";
import { stepContext } from "../../../test/support/libvirt-site.ts";
import { libvirtSocket, withoutLibvirt } from "../../../test/support/libvirtd.ts";
import { examineMachines } from "./examine.ts";
import { hostBook } from "./host-book.ts";

test.skipIf(libvirtSocket === undefined)(
  `examineMachines() says who stopped a machine (${withoutLibvirt})`,
  async () => {
    const lab = await libvirtLife("slipway-test-why", "10.213.71.0/24");
    try {
      expect((await lab.up(lab.cluster([{}]))).failed).toEqual([]);
      const book = hostBook(async () => lab.client);
      book.add([lab.host]);
      const look = async () => {
        const survey = await lab.survey();
        // Others may have machines on this libvirt too.
        const ours = survey.machines.filter(({ cluster }) => cluster.startsWith("slipway-test-why"));
        const [exam] = await examineMachines(stepContext(), book, ours, survey);
        return [exam?.stoppedBy, exam?.evidence, exam?.error?.code];
      };
      expect(await look()).toEqual([undefined, "it runs", undefined]);
      const domains = await lab.client.domains();
      const domain = domains.find(({ name }) => name.startsWith("slipway-test-why"));
      if (!domain) throw new Error("the machine is not there");
      await lab.client.destroyDomain(domain);
      expect(await look()).toEqual(["somebody", "libvirt says off, destroyed", "LIBVIRT_MACHINE_OFF"]);
    } finally {
      await lab.close();
    }
  },
  60_000,
);
