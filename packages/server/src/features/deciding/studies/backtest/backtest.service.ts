import {
  type Backtest,
  type BacktestRequest,
  type BacktestSpec,
  backtestDefaults,
  type StudyStarted,
} from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import type { RequestFacts } from '../../../../http/handler.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { selectIdsByKey } from '../../../catalogue/flows/index.ts';
import { readSettings } from '../../../identity/settings/index.ts';
import { requireRange } from '../range.ts';
import { requireStudy, type StudyPorts, startStudy } from '../studies.service.ts';
import { isBacktest, shownResult } from './shown-result.ts';

/** Starts a backtest. See `startStudy`. */
export const startBacktest = (
  ports: StudyPorts,
  facts: RequestFacts,
  flow: string,
  body: BacktestRequest,
): Promise<StudyStarted> =>
  startStudy(ports, facts, {
    ...{ kind: 'backtest', flow, version: body.version, overlay: body.overlay ?? [] },
    base: typeof body.compareTo === 'number' ? body.compareTo : null,
    spec: (tx) => specOf(tx, body),
  });

async function specOf(tx: Tx, body: BacktestRequest): Promise<BacktestSpec> {
  const range = await requireRange(tx, body, (await readSettings(tx)).timezone);
  const { limits = {}, ...asked } = body;
  return { ...backtestDefaults, ...asked, ...range, limits };
}

/** Returns a backtest of a flow. Throws 404, also for a backtest of another flow. */
export async function showBacktest(tx: Tx, flow: string, id: string): Promise<Backtest> {
  const row = await requireStudy(tx, id, 'backtest');
  const ids = await selectIdsByKey(tx, flow);
  if (row.flowId !== flow.toLowerCase() && !ids.includes(row.flowId)) {
    throw new AppError('not_found', { detail: 'Study not found.' });
  }
  return {
    ...{ studyId: row.id, jobId: row.id, status: row.status, error: row.error },
    progress: { decisions: row.judged, total: row.total },
    ...(isBacktest(row) ? shownResult(row) : null),
  };
}
