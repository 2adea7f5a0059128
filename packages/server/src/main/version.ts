import { readFileSync } from 'node:fs';

/** Version of the product, as in package.json. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
