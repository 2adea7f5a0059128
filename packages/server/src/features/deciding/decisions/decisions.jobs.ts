import Type from 'typebox';
import type { Database, Tx } from '../../../db/index.ts';
import type { Retainer } from '../../../feature.ts';
import { handleInSlices, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge, retentionOf } from '../../operations/retention/index.ts';
import { expireRequests, expireResponseKeys } from './key-expiry.store.ts';
import { expireMinutes } from './minutes/decision-minutes.store.ts';
import { expireTraces } from './traces/traces.store.ts';

/** Deletes expired answers of repeated requests and responses (docs/design/api-access.md 14, fixed lives). */
const expireKeysJob = job({
  name: 'keys.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '43 * * * *', payload: {}, upkeep: true },
});

/** Deletes traces and figures that the tenant no longer keeps (docs/design/api-access.md 14). */
const retainTracesJob = job({
  name: 'decisions.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '45 4 * * *', payload: {}, upkeep: true },
});

/** What this feature deletes by age, and counts. */
export const retainers = [
  {
    dataClass: 'traces',
    counted: 'decisions',
    remove: (tx: Tx) => removeByAge(tx, 'traces', (days) => expireTraces(tx, days)),
  },
] as const satisfies readonly Retainer[];
const [traces] = retainers;

/** In slices. The figures of the minutes live as long as the records that they're read with. */
export const retainingSteps: readonly ((tx: Tx) => Promise<boolean>)[] = [
  async (tx) => (await traces.remove(tx)).more,
  async (tx) => {
    const { days, legalHold } = await retentionOf(tx, 'decisions');
    return !legalHold && expireMinutes(tx, days);
  },
];

/** Returns this feature's jobs with their handlers. */
export function decisionJobs(database: Database): readonly JobHandler[] {
  return [
    handleInSlices(expireKeysJob, database, expireResponseKeys, expireRequests),
    handleInSlices(retainTracesJob, database, ...retainingSteps),
  ];
}
