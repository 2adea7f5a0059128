import { engineVersion } from '@arbiter/engine';
import { tzdataVersion } from '../../../platform/time/zones.ts';

/**
 * What a record stores about the engine: its version, and the time zone data that the input's clocks came from. A
 * record stores those clocks, so it replays under any time zone data; the version explains why a decision made now may
 * see another hour.
 */
export const engineStamp = tzdataVersion === null ? engineVersion : `${engineVersion} tz=${tzdataVersion}`;
