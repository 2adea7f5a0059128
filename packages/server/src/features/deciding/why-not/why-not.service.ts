import type { RecommendRequest, WhyNotAnswer, WhyNotRequest } from '@arbiter/contract';
import type { WhyNotAnswer as Found, Plan, Snapshot } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { findOfferFacts } from '../../catalogue/offers/index.ts';
import { suggestibleColumns } from '../../catalogue/schemas/index.ts';
import { segmentsAsking } from '../../catalogue/segments/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { Archive } from '../archived-months/index.ts';
import { type CustomerKeys, decodeState, type KeyedHash, readState } from '../customer-states/index.ts';
import { decisionNamed, readRecommendCall, readTrialClock, type Trials } from '../decisions/index.ts';
import { readPlanContent } from '../plans/index.ts';
import { newDecisionId, recordedQuestion } from '../sealed-records/index.ts';
import { historyBefore } from './recorded-history.ts';
import { packInput, type SearchJob } from './search-job.ts';
import { type AskedOffer, isGone, shapeFlips, summaryOf, withStatus } from './why-not.rules.ts';

/** A search on its way to a thread. */
export interface SearchTask {
  readonly tenantId: string;
  readonly job: SearchJob;
  /** Loads the plan's content; called only if no free thread has it. */
  loadPlan(): Promise<Snapshot>;
  /** Monotonic ms by which the answer must be there. */
  readonly until: number;
  /** Aborted when no one waits for the answer any longer. */
  readonly signal: AbortSignal;
}

/** Runs a search apart from the requests. Rejects with AppError `overloaded` when too many wait, `unavailable` when it is late. */
export type RunSearch = (task: SearchTask) => Promise<Found>;

export interface WhyNotPorts {
  readonly database: Database;
  readonly trials: Trials;
  readonly keys: CustomerKeys;
  readonly archive: Archive;
  /** Names the customer in the audit log (docs/design/api-settled.md 103). */
  readonly customerHash: KeyedHash;
  readonly search: RunSearch;
}

type WhyNotBody = Omit<WhyNotRequest, 'now'> & { readonly now?: string };

/** What a search is about. */
interface Subject {
  readonly plan: Plan;
  readonly planHash: Buffer;
  readonly job: Omit<SearchJob, 'planKey' | 'offerId' | 'columns' | 'hidden'>;
}

/**
 * Returns why the customer's response does or doesn't have the offer (docs/design/api-decisioning.md 12): in a recorded
 * decision with `decisionId`, otherwise in one made now. Stores nothing but the audit row of the read. Throws 404 for
 * an unknown offer and for another customer's decision.
 */
export async function askWhyNot(
  ports: WhyNotPorts,
  request: RequestFacts,
  { customerId, offerId: askedId }: { readonly customerId: string; readonly offerId: string },
  asked: WhyNotBody,
  decisionId: string | null = null,
): Promise<WhyNotAnswer> {
  const { tenantId, until, signal } = request;
  const offerId = askedId.toLowerCase();
  if (customerId === 'anonymous') throw invalid('/customerId', 'must be a customer ID');
  const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    ports.database.withTenant(tenantId, request.actor, work, { until });
  const offer = await inTenant((tx) => findOffer(tx, offerId));
  const subject =
    decisionId === null
      ? await liveSubject(ports, request, customerId, asked)
      : await inTenant((tx) => recordedSubject(tx, ports, decisionId, customerId));
  const suggestible = await inTenant(async (tx) => {
    await recordAudit(tx, {
      action: 'read',
      entityType: 'whyNot',
      entityId: offerId,
      entityName: offer.name,
      after: { customerHash: ports.customerHash.of(tenantId, customerId).toString('hex'), decisionId },
    });
    return suggestibleBy(tx, subject.plan);
  });
  const found = await ports.search({
    tenantId,
    job: { ...subject.job, ...suggestible, planKey: `${tenantId} ${subject.planHash.toString('hex')}`, offerId },
    loadPlan: () =>
      ports.database.withTenant(tenantId, systemActor('why-not'), (tx) => readPlanContent(tx, subject.planHash)),
    until,
    signal,
  });
  return shape(customerId, offer, found, subject, decisionId !== null);
}

function shape(
  customerId: string,
  offer: AskedOffer,
  found: Found,
  { job }: Subject,
  isRecorded: boolean,
): WhyNotAnswer {
  // What is deleted now existed when the decision was made, according to its record.
  const gates = isRecorded ? found.gates : withStatus(found.gates, offer);
  const flips = isGone(offer) ? [] : found.flips;
  return {
    customerId,
    offerId: offer.id,
    offerName: offer.name,
    verdict: found.verdict,
    selected: found.selected,
    summary: summaryOf(offer.name, { ...found, gates, flips }),
    evaluatedAt: new Date(job.input.now).toISOString(),
    exploration: job.greedy ? 'greedy' : 'recorded',
    rank: found.rank,
    score: found.score,
    cutoffScore: found.cutoffScore,
    // The engine leaves details untyped. In tests the server checks each response against the contract.
    gates: gates.map((gate) => ({ ...gate })) as WhyNotAnswer['gates'],
    flips: shapeFlips(flips),
    search: found.search,
  };
}

async function findOffer(tx: Tx, offerId: string): Promise<AskedOffer> {
  const facts = isUuid(offerId) ? await findOfferFacts(tx, offerId) : null;
  if (facts === null) throw new AppError('not_found', { detail: 'Offer not found.' });
  const { name, status, deletedAt } = facts;
  return { id: offerId, name, status, isDeleted: deletedAt !== null };
}

async function liveSubject(
  { trials }: WhyNotPorts,
  { tenantId, ip, userAgent, until }: RequestFacts,
  customerId: string,
  { now, ...asked }: WhyNotBody,
): Promise<Subject> {
  const body: RecommendRequest = { ...asked, customerId, dryRun: true };
  const facts = {
    ip,
    userAgent,
    anonymousKey: () => {
      throw invalid('/customerId', 'must be a customer ID');
    },
    newRequestId: newDecisionId,
  };
  const call = readRecommendCall(body, facts);
  const at = readTrialClock(now);
  const [trial] = await trials.read(tenantId, [{ call }], at, until);
  if (trial === undefined) throw new Error('one question has one trial');
  const { flow, customer } = trial;
  // The seed is no property of the input's own, so a copy would go without.
  const input = { ...trial.input, seed: trial.input.seed };
  const state = customer?.state;
  return {
    plan: flow.plan,
    planHash: flow.hash,
    job: {
      greedy: true,
      // Read like a dry run, which sees drafts and counts toward no quota; the question is about a decision that
      // counts.
      ...packInput(flow.plan, { ...input, request: { ...input.request, dryRun: false } }),
      history: {
        contacts: {
          lanes: state?.lanes ?? [],
          totals: state?.totals ?? [],
          lastAt: state?.lastAt ?? [],
          log: state?.log ?? [],
          keptFrom: state?.keptFrom ?? 0,
          reservations: state?.reservations ?? [],
        },
        outcomes: state?.outcomes ?? [],
      },
    },
  };
}

async function recordedSubject(
  tx: Tx,
  { keys, archive }: WhyNotPorts,
  decisionId: string,
  customerId: string,
): Promise<Subject> {
  const { flow, input } = await recordedQuestion(tx, { keys, archive, decisionNamed }, decisionId, customerId);
  const row = await readState(tx, customerId);
  const history = row === null ? null : historyBefore(flow.plan, input, decodeState(row.state, row.base));
  return {
    plan: flow.plan,
    planHash: flow.hash,
    job: { greedy: false, ...packInput(flow.plan, input), history },
  };
}

/**
 * Returns what can be suggested. Leaves out a column that the plan's active segments read, by id, by name or as an
 * interest, because changing the value would change the membership too.
 */
async function suggestibleBy(tx: Tx, { reads, autoSources, enrichSources }: Plan) {
  const { columns, hidden } = await suggestibleColumns(tx);
  if (reads.segments.length + reads.interests.length === 0) return { columns, hidden };
  const named = new Set([...reads.segments, ...reads.interests].map((name) => name.toLowerCase()));
  const left: Record<string, SearchJob['columns'][string]> = {};
  for (const { schemaId, columns: read } of [...autoSources, ...enrichSources]) {
    for (const column of read) {
      const holds = columns[schemaId]?.[column];
      if (holds === undefined) continue;
      const asking = await segmentsAsking(tx, { id: schemaId, column });
      const isRead = asking.some(({ id, name }) => named.has(id) || named.has(name.toLowerCase()));
      if (!isRead) left[schemaId] = { ...left[schemaId], [column]: holds };
    }
  }
  return { columns: left, hidden };
}
