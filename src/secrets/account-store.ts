import { parse } from "yaml";
import { realRandom, writeYaml } from "../lib/index.ts";
import { plainFiles, type SecretFiles } from "./files/secret-files.ts";

/** How a cluster logs in to one Proxmox, in the words its cloud controller manager and storage driver read. */
export interface CloudAccount {
  url: string;
  insecure: boolean;
  token_id: string;
  token_secret: string;
  region: string;
}

/** Accounts in `<folder>/<cluster>/proxmox-account.yaml`, 0600. The file is the config those programs take as it is. */
export interface AccountStore {
  fileOf(cluster: string): string;
  /** The whole file as those programs take it; undefined when there is none. */
  text(cluster: string): Promise<string | undefined>;
  find(cluster: string): Promise<CloudAccount[]>;
  /** Clusters that have one. */
  clusters(): Promise<string[]>;
  /** In place of the one with the same URL. */
  keep(cluster: string, account: CloudAccount): Promise<void>;
  drop(cluster: string, url: string): Promise<void>;
}

export const accountFile = "proxmox-account.yaml";

export function accountStore(
  folder: string,
  files: SecretFiles = plainFiles(folder, realRandom),
): AccountStore {
  // Several Proxmox may be worked on at once, and they share one file.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  const text = (cluster: string): Promise<string | undefined> => files.read(cluster, accountFile);
  const find = async (cluster: string): Promise<CloudAccount[]> => readAccounts((await text(cluster)) ?? "");
  const write = (cluster: string, accounts: CloudAccount[]): Promise<void> =>
    accounts.length === 0
      ? files.remove(cluster, accountFile)
      : files.replace(
          cluster,
          accountFile,
          writeYaml({ clusters: accounts.map((account) => ({ ...account })) }),
        );
  return {
    fileOf: (cluster) => files.fileOf(cluster, accountFile),
    text,
    find,
    async clusters() {
      const all = await files.clusters();
      const has = await Promise.all(
        all.map(async (name) => (await files.list(name)).some((kept) => kept.name === accountFile)),
      );
      return all.filter((_, index) => has[index]);
    },
    keep: (cluster, account) =>
      inTurn(async () => {
        const others = (await find(cluster)).filter((each) => each.url !== account.url);
        const all = [...others, account].toSorted((a, b) => a.url.localeCompare(b.url));
        await write(cluster, all);
      }),
    drop: (cluster, url) =>
      inTurn(async () =>
        write(
          cluster,
          (await find(cluster)).filter((each) => each.url !== url),
        ),
      ),
  };
}

function readAccounts(text: string): CloudAccount[] {
  try {
    const { clusters = [] } = (parse(text) ?? {}) as { clusters?: Partial<CloudAccount>[] };
    return clusters.map(({ url = "", insecure = false, token_id = "", token_secret = "", region = "" }) => ({
      url,
      insecure,
      token_id,
      token_secret,
      region,
    }));
  } catch {
    // Whatever is wrong with it, its secrets must not get into a message; the token is replaced.
    return [];
  }
}
