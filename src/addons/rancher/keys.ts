import { X509Certificate } from "node:crypto";
import { parse } from "yaml";
import { writeYaml, type Clock, type Random } from "../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../pki/index.ts";
import type { SecretFiles } from "../../secrets/index.ts";

/** What Rancher of a cluster is known by, where Slipway vouches for it. */
export interface RancherKeys {
  /** Of its first administrator. */
  password: string;
  authority: Identity;
  /** The name the certificate is for. */
  hostname: string;
  certificate: Identity;
}

/** In `<folder>/<cluster>/rancher.yaml`: made once; only the certificate is issued anew, by the same authority. */
export interface RancherStore {
  ensure(cluster: string, hostname: string): Promise<RancherKeys>;
}

const fileName = "rancher.yaml";
const day = 24 * 3_600_000;
const authorityLifeMs = 10 * 365 * day;
/** Longer ones are refused by some browsers. */
const certificateLifeMs = 820 * day;
const renewBeforeMs = 90 * day;

export function rancherStore(options: {
  files: SecretFiles;
  clock: Pick<Clock, "now">;
  random: Random;
}): RancherStore {
  const { files, clock, random } = options;
  const running = new Map<string, Promise<RancherKeys>>();

  const issue = (authority: Identity, hostname: string): Promise<Identity> =>
    issueCertificate({
      authority,
      commonName: hostname,
      names: [hostname],
      usages: ["server"],
      notBefore: clock.now(),
      lifetimeMs: certificateLifeMs,
      random,
    });

  const read = async (cluster: string): Promise<RancherKeys | undefined> => {
    const text = await files.read(cluster, fileName);
    return text === undefined ? undefined : (parse(text) as RancherKeys);
  };

  const make = async (cluster: string, hostname: string): Promise<RancherKeys> => {
    const authority = await createAuthority({
      kind: "p256",
      organization: "slipway",
      notBefore: clock.now(),
      lifetimeMs: authorityLifeMs,
      random,
    });
    const keys: RancherKeys = {
      password: random.bytes(18).toString("base64url"),
      authority,
      hostname,
      certificate: await issue(authority, hostname),
    };
    // Another process may have been faster; then its keys are the ones.
    const kept = await files.writeOnce(cluster, fileName, writeYaml(plain(keys)));
    return kept.isOurs ? keys : (parse(kept.text) as RancherKeys);
  };

  const ensure = async (cluster: string, hostname: string): Promise<RancherKeys> => {
    const found = (await read(cluster)) ?? (await make(cluster, hostname));
    if (found.hostname === hostname && lasts(found.certificate, clock.now())) return found;
    const renewed = { ...found, hostname, certificate: await issue(found.authority, hostname) };
    await files.replace(cluster, fileName, writeYaml(plain(renewed)));
    return renewed;
  };

  return {
    ensure(cluster, hostname) {
      const current =
        running.get(cluster) ?? ensure(cluster, hostname).finally(() => running.delete(cluster));
      running.set(cluster, current);
      return current;
    },
  };
}

const lasts = ({ cert }: Identity, now: number): boolean =>
  Date.parse(new X509Certificate(cert).validTo) - now > renewBeforeMs;

const plain = ({ authority, certificate, ...rest }: RancherKeys) => ({
  ...rest,
  authority: { ...authority },
  certificate: { ...certificate },
});
