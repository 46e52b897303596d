import { defineError, type SlipwayError } from "../../../errors/index.ts";

interface Where {
  doing: string;
  url: string;
}

/** The server takes the ticket but not the name: those before qemu-server 9.1.7 know no tokens here. */
export const consoleRefused = defineError("PVE_CONSOLE_REFUSED", (f: Where) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.url} opened the terminal and hung up at the login; API tokens are taken there since qemu-server 9.1.7`,
  next: "Run apt update && apt full-upgrade on the node, then run the command again",
  shared: f.url,
}));

/** What Proxmox prints in the terminal instead of the machine. */
export const consoleUnavailable = (f: Where & { says: string }): SlipwayError =>
  /not running/.test(f.says) ? consoleOff(f) : noSerialPort(f);

export const consoleOff = defineError("PVE_CONSOLE_OFF", (f: Where & { says: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `Proxmox says: ${f.says}`,
  next: 'Run "slipway up" again: it starts the machine first',
  transient: true,
}));

export const noSerialPort = defineError("PVE_NO_SERIAL_PORT", (f: Where & { says: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `Proxmox says: ${f.says}`,
  next: 'Give the machine its serial port back (Hardware, Add, Serial Port 0) and restart it, or run "slipway up" on the whole cluster',
}));

export const consoleLate = defineError(
  "PVE_CONSOLE_LATE",
  (f: Where & { limitMs: number; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} opened no terminal within ${f.limitMs / 1000} s`,
    next: 'Look at "systemctl status pveproxy pvedaemon" on the node, then run the command again',
    cause: f.cause,
    transient: true,
    shared: f.url,
  }),
);
