import { engineVersion } from '@arbiter/engine';
import { tzdataVersion } from '../../../platform/zones.ts';

/**
 * What a record says of the engine that decided: its version, and the edition of the rules of time zones, from which the clocks
 * of the input came. A record keeps those clocks, so it replays under any edition; the edition says why a decision made now
 * may see another hour.
 */
export const engineStamp = tzdataVersion === null ? engineVersion : `${engineVersion} tz=${tzdataVersion}`;
