import { refusal } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import { parseValue, printDrive, type Config } from "./config.ts";

const windows = /^(?:w|win)\w+$/;
/** The board a Windows guest is bound to: that of the emulator it was installed with. */
const boards = { 9: "10.0", 8: "9.2+pve1" } as const;

/** What no schema says: settings that do not go together. */
export function demandFittingHardware(config: Config): void {
  const machine = parseValue("machine", config["machine"] ?? "");
  if (machine["viommu"] === "intel" && !/q35/.test(machine["type"] ?? "")) {
    throw refusal("to use Intel vIOMMU please set the machine type to q35");
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
  const isBound = windows.test(String(config["ostype"] ?? "")) && /^(?:pc|q35)$/.test(type);
  if (!isBound && config["machine"] === undefined) return config;
  const board = `${type === "q35" ? "pc-q35" : "pc-i440fx"}-${boards[version]}`;
  return { ...config, machine: printDrive("machine", { ...machine, ...(isBound && { type: board }) }) };
}
