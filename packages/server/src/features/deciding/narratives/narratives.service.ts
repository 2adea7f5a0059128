import { hash } from 'node:crypto';
import type { DecisionRecord, DecisionTrace, NarrativeAnswer, NarrativeMode } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { requireExplanations } from '../../identity/settings/index.ts';
import type { Fact, NarrativeWriter, WrittenNarrative } from '../../operations/narration/index.ts';
import type { Archive } from '../archived-months/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { decisionNamed, lockTrace, readTrace } from '../decisions/index.ts';
import { readDecision } from '../sealed-records/index.ts';
import { factsOf } from './facts/facts-of.ts';
import { type CachedNarrative, findNarrative, putNarrative, type StoredNarrative } from './narratives.store.ts';
import { previewOf } from './preview.ts';
import { agentNarrative, proseOf, templateSentences } from './template.ts';

export interface NarrativePorts {
  readonly database: Database;
  readonly keys: CustomerKeys;
  readonly archive: Archive;
  readonly writer: NarrativeWriter;
}

interface NarrativeOptions {
  readonly mode: NarrativeMode;
  /** True: write it again even if it is cached. */
  readonly noCache: boolean;
}

/** What a narrative is written from. */
interface Subject {
  readonly trace: DecisionTrace;
  readonly facts: readonly Fact[];
  readonly key: Buffer;
}

/**
 * Returns a decision in words (docs/design/api-decisioning.md 17). Throws 403 unless the tenant opted in, 404 without a
 * stored trace, 503 `not_configured` while the server's language model has no key or name. No transaction is open while the
 * model writes.
 */
export async function writeNarrative(
  ports: NarrativePorts,
  request: RequestFacts,
  id: string,
  { mode, noCache }: NarrativeOptions,
): Promise<NarrativeAnswer> {
  const { tenantId, actor, requestId, until, signal } = request;
  const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    ports.database.withTenant(tenantId, actor, work, { requestId, until });
  const { writer } = ports;
  const found = await inTenant(async (tx) => {
    await requireExplanations(tx);
    const subject = await readSubject(tx, ports, id, mode);
    const cached = noCache ? null : await findNarrative(tx, subject.key);
    if (cached !== null) await auditNarrative(tx, subject, mode, cached, true);
    return { ...subject, cached };
  });
  if (found.cached !== null) return answerOf(mode, found.cached, { cached: true, fallback: false, checkFailures: [] });
  if (writer.problem !== null) throw new AppError('not_configured', { detail: writer.problem });
  const { facts } = found;
  const template = () => templateSentences(mode, facts);
  const written = await writer.write({ form: mode, facts, focus: null, template, signal });
  return inTenant(async (tx) => {
    const stored = { narrative: composed(mode, found, written), ...tokensOf(written), createdAt: tx.now };
    // The customer may have been erased while the model wrote.
    if (!(await lockTrace(tx, found.trace.id))) throw noTrace();
    const { id: traceId, customerId } = found.trace;
    if (!written.fallback) await putNarrative(tx, found.key, { traceId, customerId }, stored);
    await auditNarrative(tx, found, mode, stored, false);
    const { fallback, checkFailures } = written;
    return answerOf(mode, stored, { cached: false, fallback, checkFailures: [...checkFailures] });
  });
}

const noTrace = () => new AppError('not_found', { detail: 'No trace of this decision is stored.' });

const tokensOf = ({ model, tokens }: WrittenNarrative) => ({
  model,
  inputTokens: tokens.input,
  outputTokens: tokens.output,
});

async function readSubject(tx: Tx, ports: NarrativePorts, id: string, mode: NarrativeMode): Promise<Subject> {
  let trace = await readTrace(tx, id);
  const record = await readRecord(tx, ports, trace?.recommendationId ?? id);
  if (trace === null && record?.traceId != null) trace = await readTrace(tx, record.traceId);
  if (trace === null) throw noTrace();
  const key = [tx.tenantId, trace.id, mode, ports.writer.model, trace.inputsHash];
  return {
    trace,
    facts: factsOf(mode, trace, record),
    // An array of strings has one form in JSON, that of RFC 8785.
    key: hash('sha256', JSON.stringify(key), 'buffer'),
  };
}

/** Returns the sealed record; null if it has expired. */
async function readRecord(tx: Tx, { keys, archive }: NarrativePorts, id: string): Promise<DecisionRecord | null> {
  try {
    return await readDecision(tx, { keys, archive, decisionNamed }, id, { inputs: false });
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

function composed(mode: NarrativeMode, { trace, facts }: Subject, { sentences }: WrittenNarrative): StoredNarrative {
  return {
    narrative: mode === 'agent' ? agentNarrative(trace, facts, sentences) : proseOf(mode, facts, sentences),
    preview: previewOf(facts, sentences),
  };
}

async function auditNarrative(
  tx: Tx,
  { trace }: Subject,
  mode: NarrativeMode,
  { model, narrative }: CachedNarrative,
  cached: boolean,
): Promise<void> {
  if (mode !== 'regulator') return;
  await recordAudit(tx, {
    action: 'generate_narrative',
    entityType: 'decision_trace',
    entityId: trace.id,
    entityName: trace.decisionFlowKey,
    after: { mode, model, cached, narrativePreview: narrative.preview },
  });
}

const answerOf = (
  mode: NarrativeMode,
  { narrative, model, inputTokens, outputTokens, createdAt }: CachedNarrative,
  origin: Pick<NarrativeAnswer, 'cached' | 'fallback' | 'checkFailures'>,
): NarrativeAnswer => ({
  narrative: narrative.narrative,
  mode,
  model,
  ...origin,
  tokens: { input: inputTokens, output: outputTokens },
  createdAt: createdAt.toISOString(),
});
