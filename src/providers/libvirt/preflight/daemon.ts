import { failed, type Check } from "../../../plan/index.ts";
import { libvirtTooOld } from "./errors.ts";
import { connectionCheckId, hostCheck, permissionCheckId, type HostView } from "./host-view.ts";

export const connectionCheck = (view: HostView): Check =>
  hostCheck(view, connectionCheckId, ["libvirt answers", "libvirt does not answer"], async (ctx) => {
    const name = await (await view.client()).hostname(ctx.signal);
    return { status: "ok", needed: view.host.libvirt.uri, found: name };
  });

/** Connections are opened to change things: a user who may not is refused at once. */
export const permissionCheck = (view: HostView): Check =>
  hostCheck(view, permissionCheckId, ["libvirt may be used", "libvirt refuses access"], async (ctx) => {
    await (await view.client()).domains(ctx.signal);
    return { status: "ok", found: "yes" };
  });

/** Of Debian 11 and Ubuntu 22.04; before, firmware is not chosen by itself. */
const oldest = { libvirt: "6.0.0", hypervisor: "4.2.0" };

export const versionCheck = (view: HostView): Check =>
  hostCheck(
    view,
    "libvirt-version",
    ["libvirt and QEMU are new enough", "libvirt or QEMU is too old"],
    async (ctx) => {
      const found = await (await view.client()).versions(ctx.signal);
      const shown = {
        needed: `libvirt ${oldest.libvirt}, QEMU ${oldest.hypervisor}`,
        found: `libvirt ${found.libvirt}, QEMU ${found.hypervisor}`,
      };
      const isOld = isBefore(found.libvirt, oldest.libvirt) || isBefore(found.hypervisor, oldest.hypervisor);
      return isOld ? failed(libvirtTooOld({ host: view.host, ...shown }), shown) : { status: "ok", ...shown };
    },
  );

export function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map(Number));
  const at = a?.findIndex((part, i) => part !== b?.[i]) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}
