import { createCipheriv, createDecipheriv } from 'node:crypto';

/** How the bodies of one connection are sealed. */
export interface Cipher {
  seal(plain: Uint8Array): Uint8Array;
  /** The plain body, or undefined for what `seal` cannot have made. The reason stays untold: it would help a forger. */
  open(sealed: Uint8Array): Uint8Array | undefined;
}

/** Bodies as they are. */
export const plainText: Cipher = { seal: (plain) => plain, open: (sealed) => sealed };

/** `Common.PacketEncAlgo`, as `InitConnect.packetEncAlgo` has it: 0 is the protocol's own ECB, 1 and 2 are as everywhere. */
export const packetEncAlgo = { none: -1, ownEcb: 0, aesEcb: 1, aesCbc: 2 } as const;

/**
 * The cipher of the bodies after InitConnect.
 * @param algorithm one of {@link packetEncAlgo}; undefined comes back for any other, and for a key or an IV of another length.
 * @param key `connAESKey`: 16 ASCII characters.
 * @param iv `aesCBCiv`: 16 ASCII characters, used for CBC alone and the same for every body.
 */
export function packetCipher(algorithm: number, key: string, iv: string): Cipher | undefined {
  if (algorithm === packetEncAlgo.none) return plainText;
  if (!isBlock(key) || (algorithm === packetEncAlgo.aesCbc && !isBlock(iv))) return undefined;
  switch (algorithm) {
    case packetEncAlgo.ownEcb:
      return ownEcb(key);
    case packetEncAlgo.aesEcb:
      return padded('aes-128-ecb', key, null);
    case packetEncAlgo.aesCbc:
      return padded('aes-128-cbc', key, iv);
    default:
      return undefined;
  }
}

const BLOCK_BYTES = 16;

/** Whether a text is as long as a key or an IV, in bytes. */
function isBlock(text: string): boolean {
  return Buffer.byteLength(text) === BLOCK_BYTES;
}

/**
 * AES-128 in ECB mode, padded with zeros to whole blocks. A block in the clear follows, whose last byte says how many
 * bytes of the last encrypted block count; 0 = all.
 */
export function ownEcb(key: string): Cipher {
  return {
    seal(plain) {
      const tail = plain.length % BLOCK_BYTES;
      const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
      const padding = Buffer.alloc(tail === 0 ? 0 : BLOCK_BYTES - tail);
      const lengthBlock = Buffer.alloc(BLOCK_BYTES);
      lengthBlock.writeUInt8(tail, BLOCK_BYTES - 1);
      return Buffer.concat([cipher.update(plain), cipher.update(padding), lengthBlock]);
    },
    open(sealed) {
      const blocks = sealed.length / BLOCK_BYTES;
      const tail = sealed.at(-1);
      if (!Number.isInteger(blocks) || blocks < 2 || tail === undefined || tail >= BLOCK_BYTES) return undefined;
      const padded = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(sealed.subarray(0, -BLOCK_BYTES));
      return tail === 0 ? padded : padded.subarray(0, tail - BLOCK_BYTES);
    },
  };
}

/** AES-128 with PKCS#7 padding. */
function padded(mode: 'aes-128-ecb' | 'aes-128-cbc', key: string, iv: string | null): Cipher {
  return {
    seal(plain) {
      const cipher = createCipheriv(mode, key, iv);
      return Buffer.concat([cipher.update(plain), cipher.final()]);
    },
    open(sealed) {
      const decipher = createDecipheriv(mode, key, iv);
      try {
        return Buffer.concat([decipher.update(sealed), decipher.final()]);
      } catch {
        // Wrong length or padding.
        return undefined;
      }
    },
  };
}
