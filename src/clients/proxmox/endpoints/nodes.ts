import { node } from "./common.ts";
import { integer, text, type EndpointTable } from "./schema.ts";

const mayRead = { on: "/nodes/{node}", privs: ["Sys.Audit"] } as const;
const arch = text({ enum: ["x86_64", "aarch64"], since: 9 });
const day = "\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}(:\\d{2})?)?";

/** What a node tells of itself besides its machines and storages. */
export const nodeEndpoints = {
  "GET /nodes/{node}": { access: "anyone", params: { node } },
  "POST /nodes/{node}/status": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.PowerMgmt"] },
    params: { node, command: text({ required: true, enum: ["reboot", "shutdown"] }) },
  },
  "GET /nodes/{node}/dns": { runsOn: "node", access: mayRead, params: { node } },
  "GET /nodes/{node}/time": { runsOn: "node", access: mayRead, params: { node } },
  "GET /nodes/{node}/hosts": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: { node },
  },
  "GET /nodes/{node}/config": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: { node, property: text({ enum: configKeys(["location"]), in8: { enum: configKeys([]) } }) },
  },
  "GET /nodes/{node}/subscription": { runsOn: "node", access: "anyone", params: { node } },
  "GET /nodes/{node}/lxc": { runsOn: "node", access: "anyone", params: { node } },
  "GET /nodes/{node}/services": { runsOn: "node", access: mayRead, params: { node } },
  "GET /nodes/{node}/certificates/info": { runsOn: "node", access: "anyone", params: { node } },
  "GET /nodes/{node}/capabilities/qemu/cpu": { access: "anyone", params: { node, arch } },
  "GET /nodes/{node}/capabilities/qemu/machines": {
    runsOn: "node",
    access: "anyone",
    params: { node, arch },
  },
  "GET /nodes/{node}/capabilities/qemu/migration": {
    since: 9,
    runsOn: "node",
    access: mayRead,
    params: { node },
  },
  "GET /nodes/{node}/rrddata": {
    access: mayRead,
    params: {
      node,
      timeframe: text({
        required: true,
        enum: ["hour", "day", "week", "month", "year", "decade"],
        in8: { enum: ["hour", "day", "week", "month", "year"] },
      }),
      cf: text({ enum: ["AVERAGE", "MAX"] }),
    },
  },
  "GET /nodes/{node}/syslog": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Syslog"] },
    params: {
      node,
      start: integer({ min: 0 }),
      limit: integer({ min: 0 }),
      since: text({ pattern: day }),
      until: text({ pattern: day }),
      service: text({ maxLength: 128 }),
    },
  },
} as const satisfies EndpointTable;

function configKeys(more: readonly string[]): readonly string[] {
  const domains = Array.from({ length: 6 }, (_, n) => `acmedomain${n}`);
  return [
    "acme",
    ...domains,
    "ballooning-target",
    "description",
    ...more,
    "startall-onboot-delay",
    "wakeonlan",
  ];
}
