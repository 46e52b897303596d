import type { Domain, LibvirtClient } from "../../../clients/libvirt/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { explainStart } from "../explain.ts";
import { hasCode, isMissing } from "../pool/open-pool.ts";

// A node of a cluster gets this long to leave in order; then the plug is pulled.
const shutdownWait = { deadlineMs: 90_000, usualMs: 20_000, everyMs: 500 };

export async function powerOn(ctx: StepContext, client: LibvirtClient, domain: Domain): Promise<void> {
  if (await isOn(ctx, client, domain)) return;
  try {
    await client.startDomain(domain, ctx.signal);
  } catch (thrown) {
    // Another run was faster, or the answer to an earlier attempt was lost.
    if (await isOn(ctx, client, domain)) return;
    throw explainStart(thrown, domain.name);
  }
}

/** In order, and by force after a while: the definition is safe either way. */
export async function powerOff(ctx: StepContext, client: LibvirtClient, domain: Domain): Promise<void> {
  try {
    await client.shutdownDomain(domain, ctx.signal);
    const what = `machine ${domain.name} to shut down`;
    const until = ctx.clock.now() + shutdownWait.deadlineMs;
    await ctx.waitFor(
      { what, probe: "state", ...shutdownWait, deadlineMs: 2 * shutdownWait.deadlineMs },
      async () => {
        if (!(await isOn(ctx, client, domain)) || ctx.clock.now() >= until)
          return { done: true, value: undefined };
        return { done: false, seen: "still running" };
      },
    );
  } catch (thrown) {
    if (!hasCode(thrown, "LIBVIRT_WRONG_STATE")) throw thrown;
  }
  if (await isOn(ctx, client, domain)) {
    ctx.log("warn", `${domain.name} did not shut down in time and is switched off`);
    await pullPlug(ctx, client, domain);
  }
}

/** One that is off or gone already is fine. */
export async function pullPlug(ctx: StepContext, client: LibvirtClient, domain: Domain): Promise<void> {
  try {
    await client.destroyDomain(domain, ctx.signal);
  } catch (thrown) {
    if (!isMissing(thrown) && !hasCode(thrown, "LIBVIRT_WRONG_STATE")) throw thrown;
  }
}

const isOn = async (ctx: StepContext, client: LibvirtClient, domain: Domain): Promise<boolean> =>
  (await client.domainInfo(domain, ctx.signal)).state !== "off";
