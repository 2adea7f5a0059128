import Type from 'typebox';
import { job } from '../../../jobs/index.ts';

/** Archives closed months. Before retention, so that a month is in a file before its rows are past their age. */
export const archiveHistoryJob = job({
  name: 'history.archive',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '20 3 * * *', payload: {}, upkeep: true },
});

/** Puts the rows of a file back. */
export const restoreArchiveJob = job({
  name: 'archive.restore',
  payload: Type.Object({ archiveId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});
