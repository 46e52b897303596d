import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectGolden } from "../../../../test/support/golden.ts";
import { machineVariants, otherVariants, plainMachine } from "../../../../test/support/libvirt/machines.ts";
import { freeTarget } from "../disks/machine-disks.ts";
import { machineXml } from "./machine-xml.ts";
import { readMachine } from "./read-machine.ts";

const variants = { ...machineVariants, ...otherVariants };

describe.each(Object.entries(variants))("the machine %s", (name, machine) => {
  test("is written as it was agreed", () => {
    expectGolden(machineXml(machine), import.meta.dirname, "testdata", `machine-${name}.xml`);
  });

  test("is read back as it was written", () => {
    expect(readMachine(machineXml(machine))).toEqual({ ...machine, pinned: machine.machine, others: [] });
  });
});

/** Texts that XML can hold and that libvirt keeps: it cuts space around a text. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("<", ">", "&", '"', "'", " "),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    ),
  })
  .map((each) => each.trim());

test("whatever the words are, they come back [attack untried: XML injection]", () => {
  fc.assert(
    fc.property(text, text, text, fc.array(text), (title, node, serial, uses) => {
      const plain = plainMachine();
      const machine = plainMachine({
        title,
        mark: { ...plain.mark, node, ...(uses.length > 0 && { data: uses.map((use) => ({ for: use })) }) },
        disks: plain.disks.map((disk) => ({ ...disk, serial })),
      });
      const found = readMachine(machineXml(machine));
      expect(found).toEqual({ ...machine, pinned: "q35", others: [] });
    }),
  );
});

test("the version of the hardware stays when it is known", () => {
  const machine = plainMachine({ pinned: "pc-q35-6.2" });
  expect(machineXml(machine)).toContain('machine="pc-q35-6.2"');
  expect(readMachine(machineXml(machine))).toMatchObject({ machine: "q35", pinned: "pc-q35-6.2" });
});

test("a machine of somebody else is told as far as our words reach, and the rest is named", () => {
  const found = readMachine(`<domain type='kvm' id='3'>
    <name>windows</name><uuid>51199a70-0000-4000-8000-00000000000f</uuid>
    <metadata><o:libosinfo xmlns:o='http://libosinfo.org/x'><o:node cluster='x' name='y'/></o:libosinfo></metadata>
    <memory>1048576</memory><vcpu>4</vcpu><cputune/>
    <os><type arch='i686' machine='isapc'>hvm</type><loader type='pflash' secure='yes'>/x</loader></os>
    <cpu mode='host-passthrough' check='none'/>
    <devices>
      <disk type='file' device='disk'><source file='/x.img'/><target dev='hda' bus='ide'/></disk>
      <disk type='file' device='cdrom'><target dev='hdc' bus='ide'/></disk>
      <disk type='file' device='disk'><source file='/y.img'/><target dev='vda'/></disk>
      <interface type='user'/><interface type='bridge'><source bridge='br1'/><model type='e1000'/></interface>
      <hostdev/><graphics type='vnc'/>
    </devices></domain>`);
  expect(found).toEqual({
    name: "windows",
    uuid: "51199a70-0000-4000-8000-00000000000f",
    title: "",
    cores: 4,
    memoryMiB: 1024,
    accelerator: "kvm",
    architecture: "i686",
    machine: "isapc",
    pinned: "isapc",
    firmware: "uefi",
    isSecureBoot: true,
    hasTpm: false,
    hasRng: false,
    hasAgentChannel: false,
    disks: [],
    nics: [{ mac: "", kind: "bridge", source: "br1", model: "e1000" }],
    others: ["disk hda", "disk hdc", "disk vda", "interface user", "hostdev", "graphics", "cputune"],
  });
});

test("what is no machine is refused with what it is", () => {
  expect(() => readMachine("<network/>")).toThrow(expect.objectContaining({ code: "LIBVIRT_UNREADABLE" }));
  expect(() => readMachine("<domain><name>x</name>")).toThrow(/Cannot understand/);
  expect(() => readMachine("<domain/>")).toThrow(
    expect.objectContaining({ why: expect.stringContaining("<name>") as string }),
  );
});

test("disks are plugged in where nothing is, and never where the drives are", () => {
  expect(freeTarget("virtio", [])).toBe("vda");
  expect(freeTarget("virtio", ["vda", "vdc"])).toBe("vdb");
  expect(freeTarget("scsi", [])).toBe("sdc");
  const letters = Array.from({ length: 26 }, (_, index) => `vd${String.fromCharCode(97 + index)}`);
  expect(freeTarget("virtio", letters)).toBe("vdaa");
});
