/** A part of ssh2 that its own types leave out. */
declare module "ssh2/lib/protocol/crypto.js" {
  const ciphers: { init: Promise<void> };
  export default ciphers;
}
