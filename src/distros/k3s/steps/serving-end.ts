import tls from "node:tls";
import type { Dial } from "../../../lib/index.ts";

/** When the certificate ends that somebody shows; in milliseconds since 1970. Nothing is trusted for it. */
export async function servingEnd(
  to: { host: string; port: number },
  dial: Dial,
  signal: AbortSignal,
): Promise<number> {
  const socket = await dial(to, signal);
  try {
    return await new Promise<number>((resolve, reject) => {
      const secured = tls.connect({ socket, rejectUnauthorized: false }, () =>
        resolve(Date.parse(secured.getPeerCertificate().valid_to)),
      );
      secured.once("error", reject);
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  } finally {
    socket.destroy();
  }
}
