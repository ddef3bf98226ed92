import { Refusal } from '../refusal.js';

/** The only version of the extension reads that there is. */
const VERSION = 1;

/** Success code in the answers of extension reads. */
export const BACKEND_SUCCESS = 0;

/** Reason why a version of an extension read is not accepted; undefined where it is. */
export function checkVersion({ extensionVersion }: { readonly extensionVersion: number }): Refusal | undefined {
  return extensionVersion === VERSION
    ? undefined
    : new Refusal(`extension_version ${extensionVersion}: expected ${VERSION}`, 'broker.value');
}
