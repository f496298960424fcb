// `@solana/buffer-layout-utils` asks for `bigint-buffer`, whose compiled part can overflow (CVE-2025-3194). npm installs
// this in its place (`overrides` in package.json).

/** A buffer of big-endian bytes as a number of no less than 0. */
function toBigIntBE(bytes) {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

function toBigIntLE(bytes) {
  return toBigIntBE(Buffer.from(bytes).reverse());
}

/** The lowest `width` bytes of a number of no less than 0, big-endian. Throws RangeError for a longer one. */
function toBufferBE(number, width) {
  const hex = number.toString(16).padStart(width * 2, '0');
  if (number < 0n || hex.length > width * 2) throw new RangeError(`${number} does not fit into ${width} bytes`);
  return Buffer.from(hex, 'hex');
}

function toBufferLE(number, width) {
  return toBufferBE(number, width).reverse();
}

module.exports = { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE };
