import type { CheckResult } from '@arbiter/contract';
import { compile } from '@arbiter/engine';
import { checkInSlices } from '@arbiter/lab';
import { systemActor } from '../../../../db/index.ts';
import { zoneClock } from '../../../../platform/time/zones.ts';
import { readPlanContent } from '../../plans/index.ts';
import type { StoredCheckSpec, StudyKind, StudyOutcome, StudyQuestion, StudyWork } from '../study-kind.ts';
import { readKnownTexts } from './customer-facts.ts';
import { maxFindings, showFinding } from './shown-findings.ts';

/** Checks a flow with its catalogue, for a caller who couldn't wait (docs/design/lead.md 5). Judges no records. */
export const checkKind: StudyKind<StoredCheckSpec> = {
  kind: 'check',
  records: () => null,
  chunk: () => Promise.reject(new Error('a check has no chunks')),
  finish,
};

async function finish(
  { database, tenantId, pauseIfBusy }: StudyWork,
  { flowId, spec, candidateHash, dataCut }: StudyQuestion<StoredCheckSpec>,
): Promise<StudyOutcome> {
  const { version, offerIds, known } = spec;
  const catalogue = await database.withTenant(
    tenantId,
    systemActor('study'),
    async (tx) => {
      const snapshot = await readPlanContent(tx, candidateHash);
      const plan = compile(snapshot);
      return {
        snapshot,
        plan,
        knownTexts: offerIds === null ? await readKnownTexts(tx, { snapshot, plan }) : undefined,
      };
    },
    { snapshot: true },
  );
  const work = checkInSlices({
    ...{ ...catalogue, clockAt: zoneClock, now: dataCut.getTime() },
    ...{ soldOut: known.soldOut, emptySegments: new Map(known.emptySegments) },
    ...(offerIds === null ? {} : { offerIds }),
  });
  for (;;) {
    const slice = work.next();
    if (slice.done) {
      const { findings, coverage, contradictions } = slice.value;
      const result: CheckResult = {
        ...{ flowId, version: version === 'draft' ? null : version },
        findings: findings.slice(0, maxFindings).map(showFinding),
        coverage: { ...coverage, unread: coverage.unread.map((each) => ({ ...each })) },
      };
      return { result: JSON.stringify(result), load: null, contradictions };
    }
    await pauseIfBusy();
  }
}
