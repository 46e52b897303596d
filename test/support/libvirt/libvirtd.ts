import { accessSync, constants } from "node:fs";
import net from "node:net";
import type { Duplex } from "node:stream";
import { peerFile } from "../peers.ts";

const sockets = ["/run/libvirt/virtqemud-sock", "/run/libvirt/libvirt-sock"].filter((each) => peerFile(each));

/** The socket of a libvirt daemon on this machine that we may use, if there is one. */
export const libvirtSocket = sockets.find((path) => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
});

/** Why tests on a real daemon are skipped. */
export const withoutLibvirt = "needs libvirtd: lab/start-libvirt.sh installs and starts it (as root)";

export const connectLibvirt = (): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(libvirtSocket ?? "", () => resolve(socket));
    socket.once("error", reject);
  });
