import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;
const NUMBER_BYTES = 8;
const ZEROS = Buffer.alloc(BLOCK_BYTES - NUMBER_BYTES);

/**
 * Makes numbers opaque: each is one AES block under a key of this process. The rest of the block is zeros, by which a text that was not made here is
 * known.
 */
export class SealedNumbers {
  readonly #sealing: Cipher;
  readonly #opening: Decipher;

  constructor() {
    const key = randomBytes(BLOCK_BYTES);
    // A single block, none of which comes twice: it needs no mode and no initialisation vector.
    this.#sealing = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    this.#opening = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  }

  /** 32 hexadecimal digits. */
  seal(number: number): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeBigUInt64BE(BigInt(number));
    return this.#sealing.update(block).toString('hex');
  }

  /** The number of a sealed text; undefined where it was not made here. */
  open(sealed: string): number | undefined {
    if (sealed.length !== 2 * BLOCK_BYTES) return undefined;
    const block = this.#opening.update(Buffer.from(sealed, 'hex'));
    return block.subarray(NUMBER_BYTES).equals(ZEROS) ? Number(block.readBigUInt64BE()) : undefined;
  }
}
