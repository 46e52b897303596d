import dgram from "node:dgram";

/** The port nobody listens on: NICs read the packet themselves. */
const discardPort = 9;
const everybody = "255.255.255.255";

/** Six times ff, then the MAC address sixteen times. */
export function magicPacket(mac: string): Buffer {
  const bytes = Buffer.from(mac.replaceAll(/[^0-9a-f]/gi, ""), "hex");
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array.from({ length: 16 }, () => bytes)]);
}

/** Nobody answers: whether a machine heard it shows when it starts. */
export async function wakeOnLan(
  mac: string,
  to: { address: string; port: number } = { address: everybody, port: discardPort },
): Promise<void> {
  const socket = dgram.createSocket("udp4");
  try {
    await new Promise<void>((resolve) => socket.bind(resolve));
    socket.setBroadcast(true);
    await new Promise<void>((resolve, reject) => {
      socket.send(magicPacket(mac), to.port, to.address, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    socket.close();
  }
}
