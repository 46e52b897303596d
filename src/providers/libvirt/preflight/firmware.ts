import { failed, type Check } from "../../../plan/index.ts";
import { readMachineCapabilities } from "../survey/capabilities.ts";
import { firmwareMissing } from "./errors.ts";
import { hostCheck, nodesMaybeHere, type HostView } from "./host-view.ts";
import { architectureCheckId, architectureOf } from "./machines.ts";

/** Asked only where a machine needs more than a BIOS. */
export const firmwareChecks = (view: HostView): Check[] => {
  const { isSecureBoot = false, architecture } = view.cluster.distribution;
  const nodes = nodesMaybeHere(view);
  const isUefi =
    isSecureBoot || architecture === "arm64" || nodes.some(({ hardware }) => hardware?.firmware === "uefi");
  const hasTpm = nodes.some(({ hardware }) => hardware?.tpm ?? isSecureBoot);
  if (!isUefi && !hasTpm) return [];
  const wanted = [
    ...(isUefi ? ["UEFI"] : []),
    ...(isSecureBoot ? ["secure boot"] : []),
    ...(hasTpm ? ["TPM"] : []),
  ];
  return [
    hostCheck(view, "libvirt-firmware", ["Firmware is there", "Firmware is missing"], async (ctx) => {
      const arch = architectureOf(view);
      const guest = (await view.capabilities(ctx.signal)).guests.find((each) => each.architecture === arch);
      if (!guest) return { status: "skipped", because: architectureCheckId };
      const machine = arch === "aarch64" ? "virt" : "q35";
      const kind = guest.hasKvm ? "kvm" : "qemu";
      const client = await view.client();
      const found = readMachineCapabilities(
        await client.machineCapabilities({ arch, machine, kind }, ctx.signal),
      );
      const missing = [
        ...(isUefi && !found.hasUefi ? ["UEFI"] : []),
        ...(isSecureBoot && !found.canSecureBoot ? ["secure boot"] : []),
        ...(hasTpm && !found.hasTpm ? ["TPM"] : []),
      ];
      const needed = wanted.join(", ");
      return missing.length === 0
        ? { status: "ok", needed, found: needed }
        : failed(firmwareMissing({ host: view.host, missing, arch }), { needed });
    }),
  ];
};
