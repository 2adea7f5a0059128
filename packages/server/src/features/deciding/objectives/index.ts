import { feature } from '../../../feature.ts';
import { beginCountsAnew } from './objectives.store.ts';

export { expireCounts } from './counts-expiry.store.ts';
export { type CountsKeeper, createCountsKeeper } from './counts-keeper.ts';
export { noCounts } from './counts-state.ts';
export { countsOf, readCounts, renewCounts } from './objectives.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['objective_counts'];

export const objectivesFeature = feature({
  name: 'objectives',
  tables,
  resets: { clears: ['objective_counts'], begin: beginCountsAnew },
});
