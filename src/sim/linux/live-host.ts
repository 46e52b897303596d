import { hostKeyOf } from "./cloud-init.ts";
import type { Ending, LinuxHost } from "./host.ts";
import { SshServer } from "./ssh-server.ts";

/** From power-on until power is gone: one round per start. Rejects with the signal's reason when power is cut. */
export async function liveHost(host: LinuxHost, signal: AbortSignal): Promise<void> {
  let waitMs = host.world.latencies.bootMs;
  while ((await runBoot(host, waitMs, signal)) === "reboot") waitMs = host.world.latencies.rebootMs;
  host.power.powerOff();
}

/** One start, until the system is asked to end. */
async function runBoot(host: LinuxHost, waitMs: number, signal: AbortSignal): Promise<Ending> {
  const over = new AbortController();
  const running = AbortSignal.any([signal, over.signal]);
  host.running = running;
  const asked = new Promise<Ending>((resolve) => (host.end = resolve));
  const ssh = new SshServer(host);
  const life = startSystem(host, ssh, waitMs, running);
  try {
    const ending = await Promise.race([asked, life.then(() => asked), rejectOnAbort(signal)]);
    await host.systemd.halt();
    return ending;
  } finally {
    host.end = () => undefined;
    over.abort(new Error("the system ends"));
    await life.catch(() => undefined);
    await ssh.close();
    await host.systemd.whenOver();
    host.links = [];
  }
}

/** SSH answers before cloud-init is done, as on any cloud image. */
async function startSystem(
  host: LinuxHost,
  ssh: SshServer,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  host.files.forget();
  host.disk.boots += 1;
  host.bootedAt = host.world.clock.now();
  host.console.started();
  await host.world.clock.sleep(waitMs, signal);
  host.cloudInit.prepare();
  host.links = linksOf(host);
  host.power.saved();
  const key = hostKeyOf(host);
  if (key !== undefined) await ssh.open(key);
  signal.throwIfAborted();
  host.systemd.boot();
  host.console.prompt();
  await host.cloudInit.run(signal);
}

/** The addresses that the seed gave, or the network where it said so. */
function linksOf({ disk, hardware: { nics } }: LinuxHost): LinuxHost["links"] {
  return nics.flatMap(({ mac, lease }, index) => {
    const wish = disk.addresses?.find((each) => each.mac.toLowerCase() === mac.toLowerCase());
    const cidr = wish?.dhcp ? lease?.cidr : wish?.cidr;
    return cidr === undefined ? [] : [{ name: `eth${index}`, mac, cidr }];
  });
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
