import { maxExportedAtOnce } from '@arbiter/contract';
import Type from 'typebox';
import { handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { eraseCustomersJob } from './erase-customers-job.ts';
import { type EraseExportsPorts, eraseFromExports } from './erase-exports.service.ts';
import { type ExportPorts, exportHistory } from './exports.service.ts';

const nothing = Type.Object({}, { additionalProperties: false });

/** Exports a tenant's history since the last export (docs/design/api-access.md 14). */
const writeExportJob = job({
  name: 'export.write',
  payload: nothing,
  schedule: { cron: '10 * * * *', payload: {} },
});

/** Returns the handlers of this feature's jobs. */
export function exportJobs(ports: ExportPorts & EraseExportsPorts): JobHandler[] {
  return [
    handleJob(writeExportJob, async (_payload, { tenantId, signal }) => {
      for (let full = true; full && !signal.aborted; ) {
        full = (await exportHistory(ports, tenantId)).exported === maxExportedAtOnce;
      }
    }),
    handleJob(eraseCustomersJob, (_payload, { tenantId, signal }) => eraseFromExports(ports, tenantId, signal)),
  ];
}
