import { isIP } from "node:net";

/** The name to ask for in TLS; none for an address, which RFC 6066 forbids as SNI. */
export const serverName = (host: string): string => (isIP(host) === 0 ? host : "");
