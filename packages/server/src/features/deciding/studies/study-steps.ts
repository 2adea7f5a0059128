import { systemActor } from '../../../db/index.ts';
import { createRecordReader, type RecordReader } from './records/record-reader.ts';
import { findStudy, type StudyRow } from './studies.store.ts';
import { readDecisionIds, readPartials } from './study-chunks.store.ts';
import type { StudyQuestion, StudyStep, StudyStepResult, StudyWork } from './study-kind.ts';
import { kindNamed } from './study-kinds.ts';

/** Returns what threads need to know of a study. */
export const questionOf = (row: StudyRow): StudyQuestion => ({
  id: row.id,
  flowId: row.flowId,
  spec: row.spec,
  specHash: row.specHash.toString('hex'),
  candidateHash: row.candidateHash,
  baseHash: row.baseHash,
  dataCut: row.dataCut,
  total: row.total,
  routing: row.routing,
});

const actor = systemActor('study');

/** Does a step of a study in the calling thread. See `StudyWork` for `pauseIfBusy`. */
export type DoStep = (step: StudyStep, pauseIfBusy: StudyWork['pauseIfBusy']) => Promise<StudyStepResult>;

/** Returns a function that does steps. It caches what it has read of the latest study. */
export function createSteps({ database, keys }: Pick<StudyWork, 'database' | 'keys'>): DoStep {
  let current: { readonly name: string; readonly reader: RecordReader } | null = null;
  return async ({ tenantId, studyId, chunk }, pauseIfBusy) => {
    const { row, ids } = await database.withTenant(tenantId, actor, async (tx) => ({
      row: await findStudy(tx, studyId),
      ids: chunk === null ? [] : await readDecisionIds(tx, studyId, chunk),
    }));
    if (row === null || ids === null) return { chunk: null, outcome: null };
    const name = `${tenantId} ${studyId}`;
    if (current?.name !== name) current = { name, reader: createRecordReader({ database, keys, tenantId }) };
    const work: StudyWork = { database, keys, tenantId, pauseIfBusy, reader: current.reader };
    const kind = kindNamed(row.kind);
    if (chunk !== null) return { chunk: await kind.chunk(work, questionOf(row), ids), outcome: null };
    return { chunk: null, outcome: await kind.finish(work, questionOf(row), partialsOf(work, studyId)) };
  };
}

async function* partialsOf({ database, tenantId }: StudyWork, studyId: string): AsyncGenerator<Uint8Array> {
  for (let from = 0; ; ) {
    const next = from;
    const some = await database.withTenant(tenantId, actor, (tx) => readPartials(tx, studyId, next));
    for (const { bytes } of some) yield bytes;
    const last = some.at(-1);
    if (last === undefined) return;
    from = last.number + 1;
  }
}
