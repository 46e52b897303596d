import { errorData } from "../../errors/index.ts";
import type { CertificateLife, CertificateLives, Check, Finding } from "../../plan/index.ts";
import { certificatesEnd } from "./errors.ts";

const dayMs = 86_400_000;
/** Long enough to notice and to hand out new ones. */
const soonMs = 30 * dayMs;

export interface CertificateFacts {
  cluster: string;
  now: number;
  lives(signal: AbortSignal): Promise<CertificateLives>;
}

/** Nothing that people or nodes show expires soon, and no exchange of an authority was left half done. */
export const certificatesLive = (facts: CertificateFacts): Check => ({
  id: "certificates",
  title: "Certificates",
  failing: "Certificates expire",
  async run({ signal }): Promise<Finding> {
    const { certificates, rotations } = await facts.lives(signal);
    const needed = "no certificate that expires within 30 days";
    const [first] = byEnd(certificates);
    if (!first) return { status: "skipped", needed, found: "none can be seen" };
    const found = [lifeText(first, facts.now), ...rotations].join("; ");
    const ending = endingSoon(certificates, facts.now);
    const [next] = ending;
    if (!next) return { status: rotations.length > 0 ? "warned" : "ok", needed, found };
    const names = ending.map((life) => lifeText(life, facts.now)).join(", ");
    if (next.expiresMs > facts.now)
      return { status: "warned", needed, found: [`${names}; renew: ${next.renew}`, ...rotations].join("; ") };
    const error = errorData(certificatesEnd({ cluster: facts.cluster, names, renew: next.renew }));
    return { status: "failed", needed, found: names, error };
  },
});

/** By the day: what people use stands before what ends a few seconds earlier. */
export const byEnd = (lives: readonly CertificateLife[]): CertificateLife[] =>
  lives.toSorted((a, b) => Math.floor(a.expiresMs / dayMs) - Math.floor(b.expiresMs / dayMs));

/** Those that a person should renew now, the first to end first. */
export const endingSoon = (lives: readonly CertificateLife[], now: number): CertificateLife[] =>
  byEnd(lives).filter(({ expiresMs }) => expiresMs - now <= soonMs);

/** `kubeconfig expires in 364 days`, `kubeconfig has expired`. */
export function lifeText({ name, expiresMs }: CertificateLife, now: number): string {
  if (expiresMs <= now) return `${name} has expired`;
  const days = Math.floor((expiresMs - now) / dayMs);
  return `${name} expires in ${days} ${days === 1 ? "day" : "days"}`;
}
