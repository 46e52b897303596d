import { SlipwayError } from "../../errors/index.ts";

interface Where {
  doing: string;
  url: string;
}

/** The server takes the ticket but not the name: those before qemu-server 9.1.7 know no tokens here. */
export const consoleRefused = (f: Where & { cause?: unknown }): SlipwayError =>
  new SlipwayError({
    code: "PVE_CONSOLE_REFUSED",
    what: `Cannot ${f.doing}`,
    why: `${f.url} opened the terminal and hung up at the login; API tokens are taken there since qemu-server 9.1.7`,
    next: "Run apt update && apt full-upgrade on the node, then run the command again",
    cause: f.cause,
    shared: f.url,
  });

/** What Proxmox prints in the terminal instead of the machine. */
export const consoleUnavailable = (f: Where & { says: string }): SlipwayError =>
  /not running/.test(f.says)
    ? new SlipwayError({
        code: "PVE_CONSOLE_OFF",
        what: `Cannot ${f.doing}`,
        why: `Proxmox says: ${f.says}`,
        next: 'Run "slipway up" again: it starts the machine first',
        transient: true,
      })
    : new SlipwayError({
        code: "PVE_NO_SERIAL_PORT",
        what: `Cannot ${f.doing}`,
        why: `Proxmox says: ${f.says}`,
        next: 'Give the machine its serial port back (Hardware, Add, Serial Port 0) and start it anew, or run "slipway up" on the whole cluster',
      });

export const consoleLate = (f: Where & { limitMs: number; cause: unknown }): SlipwayError =>
  new SlipwayError({
    code: "PVE_CONSOLE_LATE",
    what: `Cannot ${f.doing}`,
    why: `${f.url} opened no terminal within ${f.limitMs / 1000} s`,
    next: 'Look at "systemctl status pveproxy pvedaemon" on the node, then run the command again',
    cause: f.cause,
    transient: true,
    shared: f.url,
  });
