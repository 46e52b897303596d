import { expect, test } from "vitest";
import { libvirtLife } from "../../../../test/support/libvirt/life.ts";
import { libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { isFull } from "../../../../test/support/whole-sweep.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-turn";
const needs = libvirtSocket === undefined ? withoutLibvirt : "takes long: SLIPWAY_FULL=1 runs it";

test.skipIf(libvirtSocket === undefined || !isFull)(
  `machines of a cluster restart one after the other (${needs})`,
  { ...peers, timeout: 600_000 },
  async () => {
    const lab = await libvirtLife(prefix, "10.213.35.0/24");
    try {
      expect((await lab.up(lab.cluster([{}, {}]))).failed).toEqual([]);
      const seen: string[] = [];
      const stop = await lab.client.watchDomains(({ domain, change }) => {
        if (domain.name.startsWith(prefix) && /^(?:stopped|started)$/.test(change))
          seen.push(`${domain.name} ${change}`);
      });
      const more = lab.cluster([{ memoryMiB: 40 }, { memoryMiB: 40 }]);
      expect((await lab.plan(more)).changes.map(({ consequence }) => consequence)).toEqual([
        "reboot",
        "reboot",
      ]);
      expect((await lab.up(more)).failed).toEqual([]);
      await stop();
      const [first = "", second = ""] = [...new Set(seen.map((text) => text.split(" ")[0]))];
      expect(seen).toEqual([
        `${first} stopped`,
        `${first} started`,
        `${second} stopped`,
        `${second} started`,
      ]);
    } finally {
      await lab.close();
    }
  },
);
