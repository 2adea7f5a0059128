import { humanKey } from '../../messages/human-key.ts';

/** Writes a pointer into a node in words: `/config/formulaExtras/1/key` becomes `Formula extras › 2 › Key`. */
export const placeText = (path: string): string =>
  path
    .split('/')
    .slice(1)
    .filter((step, at) => at > 0 || step !== 'config')
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : humanKey(step)))
    .join(' › ');
