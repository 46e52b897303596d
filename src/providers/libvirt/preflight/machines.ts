import { failed, type Check } from "../../../plan/index.ts";
import { architectureMissing } from "./errors.ts";
import { hostCheck, type HostView } from "./host-view.ts";

/** As QEMU calls them. */
export const architectureOf = ({ cluster }: Pick<HostView, "cluster">): string =>
  cluster.distribution.architecture === "arm64" ? "aarch64" : "x86_64";

export const architectureCheckId = "libvirt-architecture";

export const architectureCheck = (view: HostView): Check =>
  hostCheck(
    view,
    architectureCheckId,
    ["Machines of this kind can run", "Machines of this kind cannot run"],
    async (ctx) => {
      const needed = architectureOf(view);
      const { guests } = await view.capabilities(ctx.signal);
      const known = [...new Set(guests.map(({ architecture }) => architecture))];
      const shown = { needed, found: known.join(", ") || "none" };
      return known.includes(needed)
        ? { status: "ok", ...shown }
        : failed(architectureMissing({ host: view.host, needed, known }), shown);
    },
  );

/** Without KVM machines run all the same, many times slower: that should be known before the wait. */
export const kvmCheck = (view: HostView): Check =>
  hostCheck(
    view,
    "libvirt-kvm",
    ["Machines use the processor itself (KVM)", "Machines are emulated (no KVM)"],
    async (ctx) => {
      const architecture = architectureOf(view);
      const found = await view.capabilities(ctx.signal);
      const guest = found.guests.find((each) => each.architecture === architecture);
      if (!guest) return { status: "skipped", because: architectureCheckId };
      if (guest.hasKvm) return { status: "ok", needed: "KVM", found: "KVM" };
      const reason =
        found.architecture === architecture
          ? `no usable /dev/kvm: set VT-x or AMD-V to on in the firmware, "sudo modprobe kvm_intel" or kvm_amd, then restart libvirtd`
          : `its processor is ${found.architecture}, the machines are ${architecture}`;
      return {
        status: "warned",
        needed: "KVM",
        found: `emulation only, ten times slower or worse: ${reason}`,
      };
    },
  );
