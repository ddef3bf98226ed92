/** The lines of Node that are supported and tested, oldest first; `engines` in package.json says the same. */
export const nodeLines = ['20.19', '22', '24', '26'];

/** The newest of them. */
export const newestLine = '26';
