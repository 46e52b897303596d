import { accountsOf, grantRights, printedGrant, type Account } from "../../../operations/index.ts";
import { loginAs } from "../../../world/index.ts";
import { passwordMissing } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { placeOfSecret, renderGranted } from "../../views/index.ts";

interface GrantOptions extends CommonOptions {
  user: string;
  print?: boolean;
  keepImages?: boolean;
}

const passwordVariable = "SLIPWAY_PVE_PASSWORD";

export async function run(shell: Shell, options: GrantOptions, [host]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const accounts = accountsOf(fleet, host, options.keepImages);
  const password = shell.env[passwordVariable] ?? "";
  if (!options.print && password === "" && !shell.canAsk) {
    throw passwordMissing({ user: options.user, variable: passwordVariable });
  }
  for (const account of accounts) {
    if (options.print) print(shell, options, account);
    else await grant(shell, options, account, password);
  }
  return 0;
}

function print(shell: Shell, options: GrantOptions, account: Account): void {
  const lines = printedGrant(account);
  if (!options.json) {
    const hint = `# The secret of a new token is shown once. ${placeOfSecret(account.secret)}`;
    shell.out.write(`${[...lines, hint].join("\n")}\n`);
    return;
  }
  const { url, hosts } = account;
  const commands = lines.filter((line) => !line.startsWith("#"));
  shell.lines.tell({ type: "grant", url, hosts: hosts.map(({ name }) => name), commands });
}

async function grant(shell: Shell, options: GrantOptions, account: Account, known: string): Promise<void> {
  const [host] = account.hosts;
  if (!host) return;
  const { user } = options;
  const password = known === "" ? await shell.askSecret(`Password of ${user} at ${account.url}: `) : known;
  const { env, asker, stop, calls, redaction, simulated } = shell;
  const session = await loginAs(
    host,
    { user, password },
    { env, ask: asker, stop, calls, redaction, simulated },
  );
  try {
    const granted = await grantRights(account, session, shell.stop);
    if (options.json) shell.lines.disclose({ type: "granted", ...granted });
    else shell.disclose(renderGranted(granted, account.secret, shell.out));
  } finally {
    session.close();
  }
}
