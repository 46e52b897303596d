import { expect, test } from "vitest";
import { SlipwayError } from "../../errors/index.ts";
import { explainStart, explainVolume } from "./explain.ts";

const said = (why: string) =>
  new SlipwayError({
    code: "LIBVIRT_REFUSED",
    what: "Cannot start machine lab-cp-1",
    why: `libvirt says: ${why}`,
    next: "Correct what libvirt names",
  });

test("a file that QEMU may not open is named, with the way out", () => {
  const error = explainStart(
    said(
      "internal error: process exited while connecting to monitor: 2026-11-16T03:00:00.000000Z qemu-system-x86_64: -blockdev {}: Could not open '/srv/pool/lab-cp-1.qcow2': Permission denied",
    ),
    "lab-cp-1",
  );
  expect(error).toMatchObject({ code: "LIBVIRT_MACHINE_DENIED" });
  expect((error as SlipwayError).why).toContain("/srv/pool/lab-cp-1.qcow2");
  expect((error as SlipwayError).next).toContain("AppArmor");
});

test("a QEMU that ends at once is quoted with its last words", () => {
  const error = explainStart(
    said(
      "internal error: qemu unexpectedly closed the monitor: 2026-11-16T03:00:00.000000Z qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory",
    ),
    "lab-cp-1",
  );
  expect(error).toMatchObject({ code: "LIBVIRT_QEMU_DIED" });
  expect((error as SlipwayError).why).toContain("Cannot allocate memory");
});

test("a full pool is named", () => {
  const full = said("cannot write data to file 'x': No space left on device");
  expect(explainVolume(full, "lab-cp-1.qcow2", "default")).toMatchObject({ code: "LIBVIRT_POOL_FULL" });
});

test("a device that libvirt cannot grow is told with the way to grow it", () => {
  const error = explainVolume(
    said("unable to execute QEMU command 'block_resize': Cannot grow device files"),
    "lab-cp-1.img",
    "vg0",
  );
  expect(error).toMatchObject({ code: "LIBVIRT_DISK_FIXED" });
  expect((error as SlipwayError).next).toContain("lvextend");
});

test("what nobody knows better stays as libvirt says it", () => {
  const other = said("Cannot get interface MTU on 'br0': No such device");
  expect(explainStart(other, "lab-cp-1")).toBe(other);
  expect(explainVolume(other, "x", "default")).toBe(other);
});
