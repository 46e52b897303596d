import https from "node:https";

export interface WireAnswer {
  status: number;
  data?: unknown;
  message?: string;
  errors?: Record<string, string>;
}

/** Sends calls to one entry of a simulated Proxmox over one connection that stays open. */
export function wireCaller(to: {
  host: string;
  port: number;
  ca: string;
  authorization?: string;
  /** What `POST /access/ticket` answered. */
  ticket?: { ticket: string; CSRFPreventionToken: string };
}) {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  return (method: string, path: string, params: Record<string, string> = {}): Promise<WireAnswer> => {
    const text = new URLSearchParams(params).toString();
    const isBody = method === "POST" || method === "PUT";
    return new Promise((resolve, reject) => {
      const request = https.request(
        {
          host: to.host,
          port: to.port,
          ca: to.ca,
          agent,
          method,
          path: `/api2/json${path}${!isBody && text !== "" ? `?${text}` : ""}`,
          headers: {
            ...(to.authorization !== undefined && { authorization: to.authorization }),
            ...(to.ticket && {
              cookie: `PVEAuthCookie=${encodeURIComponent(to.ticket.ticket)}`,
              csrfpreventiontoken: to.ticket.CSRFPreventionToken,
            }),
            ...(isBody && {
              "content-type": "application/x-www-form-urlencoded",
              "content-length": Buffer.byteLength(text),
            }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const body = Buffer.concat(chunks).toString();
            const parsed = (body === "" ? {} : JSON.parse(body)) as Omit<WireAnswer, "status">;
            resolve({ ...parsed, status: response.statusCode ?? 0 });
          });
        },
      );
      request.on("error", reject);
      request.end(isBody ? text : undefined);
    });
  };
}
