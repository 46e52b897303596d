/** Why an installer of version `to` refuses to replace a running `from`. */
export function upgradeProblem(from: string, to: string): string | undefined {
  const [host, target] = [minorOf(from), minorOf(to)];
  const oldest = target === 8 ? 5 : target === 9 ? 8 : target - 2;
  if (host < oldest) return `host version ${from} is too old to upgrade to Talos ${to}`;
  if (host > target + 1) return `host version ${from} is too new to downgrade to Talos ${to}`;
  return undefined;
}

const minorOf = (version: string): number => Number(version.split(".")[1]);
