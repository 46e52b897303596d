/** Whether two networks, each with an address in it and its bits, have addresses in common. */
export function sharesAddresses(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)];
  const size = 2 ** (32 - Math.min(a.prefix, b.prefix));
  return Math.floor(a.address / size) === Math.floor(b.address / size);
}

function parts(cidr: string): { address: number; prefix: number } {
  const [address = "", prefix = "32"] = cidr.split("/");
  return {
    address: address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0),
    prefix: Number(prefix),
  };
}
