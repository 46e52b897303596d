import type { HostFaults } from "../host-faults.ts";
import type { Listening, SimNetwork } from "../network.ts";

export interface Listener {
  host: string;
  port: number;
}

const usualPort = 6443;

/** The network as one host uses it: it knows what listens on the host, and what may not. */
export class HostNetwork implements SimNetwork {
  private readonly open = new Set<Listener>();
  private readonly machine: string;
  private readonly faults: HostFaults;
  readonly dial: SimNetwork["dial"];
  readonly whole: SimNetwork;

  constructor(machine: string, network: SimNetwork, faults: HostFaults) {
    this.machine = machine;
    this.whole = network;
    this.faults = faults;
    this.dial = (to, signal) => network.dial(to, signal);
  }

  async listen(...[server, host, port]: Parameters<SimNetwork["listen"]>): Promise<Listening> {
    if (this.takenPort() === port)
      throw Object.assign(new Error(`listen EADDRINUSE: address already in use ${host}:${port}`), {
        code: "EADDRINUSE",
      });
    const listening = await this.whole.listen(server, host, port);
    const entry = { host, port };
    this.open.add(entry);
    return {
      close: async () => {
        this.open.delete(entry);
        await listening.close();
      },
    };
  }

  /** What `ss -ltn` shows, the services of the system among it. */
  listeners(): Listener[] {
    const taken = this.takenPort();
    return [
      ...this.open,
      { host: "127.0.0.53%lo", port: 53 },
      ...(taken === undefined ? [] : [{ host: "0.0.0.0", port: taken }]),
    ];
  }

  private takenPort(): number | undefined {
    const fault = this.faults.find("port-taken", { host: this.machine });
    return fault && (fault.port ?? usualPort);
  }
}
