import { SlipwayError } from "../../errors/index.ts";

export const unreadableXml = (f: { thing: string; reason: string; cause?: unknown }): SlipwayError =>
  new SlipwayError({
    code: "LIBVIRT_UNREADABLE",
    what: `Cannot understand what libvirt says about ${f.thing}`,
    why: f.reason,
    next: "Report it with the version of libvirt on that host; nothing was changed",
    ...(f.cause !== undefined && { cause: f.cause }),
  });
