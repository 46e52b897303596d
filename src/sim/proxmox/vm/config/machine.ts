import { refusal } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import type { ConfigValue } from "../../state.ts";
import { parseValue, printDrive, type Config } from "./config.ts";

export const isWindows = (ostype: ConfigValue | undefined): boolean => /^w\w+$/.test(String(ostype ?? ""));

/** The board a Windows guest is bound to: that of the emulator it was installed with. */
const boards = { 9: "10.0", 8: "9.2+pve1" } as const;

/** What no schema says: settings that do not go together. */
export function demandFittingHardware(config: Config): void {
  const broken = Object.keys(config).find(
    (key) => key !== "description" && /[\r\n]/.test(String(config[key])),
  );
  if (broken !== undefined) {
    throw refusal(`unable to parse value of '${broken}' - property contains a line feed`);
  }
  const machine = parseValue("machine", config["machine"] ?? "");
  if (machine["viommu"] === "intel" && !/q35/.test(machine["type"] ?? "")) {
    throw refusal("to use Intel vIOMMU please set the machine type to q35");
  }
  const bits = machine["aw-bits"];
  if (machine["viommu"] === "intel" && bits !== undefined && bits !== "39" && bits !== "48") {
    throw refusal("Intel vIOMMU supports only 39 or 48 bits as address width");
  }
  if (machine["viommu"] === undefined && bits !== undefined) {
    throw refusal("cannot set aw-bits if no vIOMMU is configured");
  }
  const { type, clipboard } = parseValue("vga", config["vga"] ?? "");
  if (clipboard === "vnc" && type !== undefined && !/^(?:std|cirrus|vmware|virtio|qxl)/.test(type)) {
    throw refusal(`vga type ${type} is not compatible with VNC clipboard`);
  }
}

/** Windows takes another board for another computer, so the server names the one it begins with. */
export function withBoard({ version }: Cluster, config: Config): Config {
  const machine = parseValue("machine", config["machine"] ?? "");
  const { type = "pc" } = machine;
  const isBound = isWindows(config["ostype"]) && /^(?:pc|q35)$/.test(type);
  if (!isBound && config["machine"] === undefined) return config;
  const board = `${type === "q35" ? "pc-q35" : "pc-i440fx"}-${boards[version]}`;
  return { ...config, machine: printDrive("machine", { ...machine, ...(isBound && { type: board }) }) };
}
