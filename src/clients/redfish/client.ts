import { z } from "zod";
import { makeCall, type RedfishOptions } from "./call.ts";
import { redfishRefused, redfishSystemUnclear } from "./errors.ts";

export type PowerState = "on" | "off" | "changing";
export type ResetType = "On" | "ForceOff" | "GracefulShutdown" | "ForceRestart";

/** All that is asked of a management controller. */
export type RedfishClient = ReturnType<typeof connectRedfish>;

const link = z.object({ "@odata.id": z.string() });
const collection = z.object({ Members: z.array(link) });
const serviceRoot = z.object({ Systems: link });
const system = z.object({
  Id: z.string(),
  PowerState: z.string().nullish(),
  Actions: z.object({ "#ComputerSystem.Reset": z.object({ target: z.string() }).optional() }).optional(),
});

/** Nothing is dialled until the first call, and no session is left open: each call says who asks. */
export function connectRedfish(options: RedfishOptions) {
  const call = makeCall(options);
  const { url } = options;

  /** Whatever else listens at that address may answer too, and with success. */
  async function read<T>(shape: z.ZodType<T>, path: string, doing: string, signal?: AbortSignal): Promise<T> {
    const { data, success } = shape.safeParse(await call({ path, doing }, signal));
    if (!success)
      throw redfishRefused({ doing, url, status: 200, words: `${path} is not what Redfish has there` });
    return data;
  }

  /** Paths differ between makers, so they are followed from the root. */
  async function find(doing: string, wanted: string | undefined, signal?: AbortSignal) {
    const root = await read(serviceRoot, "/redfish/v1/", doing, signal);
    const all = await read(collection, root.Systems["@odata.id"], doing, signal);
    const paths = all.Members.map((member) => member["@odata.id"]);
    const found = wanted === undefined ? paths : paths.filter((path) => path.split("/").at(-1) === wanted);
    const [path] = found;
    if (path === undefined || found.length > 1)
      throw redfishSystemUnclear({
        doing,
        url,
        wanted,
        found: paths.map((each) => each.split("/").at(-1) ?? each),
      });
    return { path, ...(await read(system, path, doing, signal)) };
  }

  return {
    /** Of the system named, or of the only one. */
    async powerState(wanted?: string, signal?: AbortSignal): Promise<PowerState> {
      const { PowerState } = await find("ask whether the machine is on", wanted, signal);
      return PowerState === "On" ? "on" : PowerState === "Off" ? "off" : "changing";
    },

    async reset(type: ResetType, wanted?: string, signal?: AbortSignal): Promise<void> {
      const doing = type === "On" ? "switch the machine on" : "switch the machine";
      const { Actions } = await find(doing, wanted, signal);
      const target = Actions?.["#ComputerSystem.Reset"]?.target;
      if (target === undefined)
        throw redfishRefused({ doing, url, status: 200, words: "it offers no way to switch this system" });
      await call({ path: target, doing, body: { ResetType: type } }, signal);
    },
  };
}
