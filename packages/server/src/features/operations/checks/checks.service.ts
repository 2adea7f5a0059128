import type { OfferReach, OverlayChange, PolicyConflicts, PolicyFinding, StudyStarted } from '@arbiter/contract';
import { type CheckInput, type CheckResult, checkInSlices } from '@arbiter/lab';
import type { Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { type FlowPorts, flowVersionToTry, type RunnableFlow, readFlowDirectory } from '../../catalogue/flows/index.ts';
import { findOfferFacts } from '../../catalogue/offers/index.ts';
import { readFlowSnapshot } from '../../deciding/plans/index.ts';
import {
  maxFindings,
  readEmptySegments,
  readKnownTexts,
  type StudyPorts,
  showFinding,
  showWitness,
  startCheckStudy,
} from '../../deciding/studies/index.ts';
import { withOverlay } from '../gitops/index.ts';
import { verdictOf } from './findings.rules.ts';

/** What a check needs from the process. */
export interface GuardPorts {
  readonly onError: (error: unknown) => void;
  /** Counts offers that a generated customer got although the checker said that nobody can: its findings are dropped. */
  readonly onContradiction: (offers: number) => void;
  /** Absent: generated customers. */
  readonly guard?: CheckInput['guard'];
}

export interface CheckPorts extends StudyPorts, FlowPorts, GuardPorts {
  /** Longest time of an analysis that its caller waits for, in ms. */
  readonly analysisMs: number;
}

interface CheckQuestion {
  readonly flowId?: string | undefined;
  readonly version?: 'published' | 'draft' | number | undefined;
  readonly overlay?: readonly OverlayChange[] | undefined;
  readonly offerIds?: readonly string[] | undefined;
}

/**
 * Checks a flow with the catalogue as the overlay would leave it. A check that takes too long continues as a study. Throws 404
 * and 409 for flows that can't run, 422 for a draft that can't be published and for an overlay that can't be made, and like
 * `startStudy`.
 */
export async function analyzeConflicts(
  ports: CheckPorts,
  facts: RequestFacts,
  { flowId, version = 'published', overlay = [], offerIds }: CheckQuestion,
): Promise<PolicyConflicts | StudyStarted> {
  const startedAt = performance.now();
  const only = offerIds?.map((id) => id.toLowerCase()) ?? null;
  const read = async (tx: Tx) => {
    const flow = await flowToCheck(tx, ports, flowId, version);
    const catalogue = await readFlowSnapshot(tx, flow);
    // Of single offers, only what excludes them is checked.
    const customers = only === null ? await readCustomerFacts(tx, catalogue) : noFacts;
    return { flow, now: tx.now.getTime(), ...catalogue, ...customers };
  };
  const { flow, ...catalogue } = await inCatalogue(ports, facts, overlay, read);
  const input = only === null ? catalogue : { ...catalogue, offerIds: only };
  const result = await checkUntil(ports, input, Math.min(facts.until, startedAt + ports.analysisMs));
  if (result === null) {
    const known = { soldOut: catalogue.soldOut, emptySegments: [...(catalogue.emptySegments ?? [])] };
    return startCheckStudy(ports, facts, {
      ...{ flowId: flow.id, version: flow.version, overlay, offerIds: only, known },
    });
  }
  const { findings, coverage } = result;
  return {
    flowId: flow.id,
    version: flow.version,
    findings: findings.slice(0, maxFindings).map(showFinding),
    coverage: { ...coverage, unread: coverage.unread.map((each) => ({ ...each })) },
    durationMs: Math.round(performance.now() - startedAt),
  };
}

type CustomerFacts = Pick<CheckInput, 'knownTexts' | 'emptySegments'>;
const noFacts: CustomerFacts = {};

async function readCustomerFacts(tx: Tx, catalogue: Pick<CheckInput, 'snapshot' | 'plan'>): Promise<CustomerFacts> {
  return {
    knownTexts: await readKnownTexts(tx, catalogue),
    emptySegments: await readEmptySegments(tx, catalogue),
  };
}

/** Says whether anyone can get an offer. 404 for an unknown offer or flow. */
export async function reachOfOffer(
  ports: CheckPorts,
  facts: RequestFacts,
  id: string,
  flowId: string | undefined,
): Promise<OfferReach> {
  const startedAt = performance.now();
  const offerId = id.toLowerCase();
  const read = async (tx: Tx) => {
    const offer = isUuid(offerId) ? await findOfferFacts(tx, offerId) : null;
    if (offer === null || offer.deletedAt !== null) throw new AppError('not_found', { detail: 'Offer not found.' });
    const flow = await flowToCheck(tx, ports, flowId, 'published');
    return { offer, flow, now: tx.now.getTime(), ...(await readFlowSnapshot(tx, flow)) };
  };
  const { offer, flow, ...catalogue } = await inCatalogue(ports, facts, [], read);
  const shown = { offerId, flowId: flow.id, version: flow.version };
  if (offer.status !== 'active') {
    return {
      ...shown,
      verdict: 'never',
      witness: null,
      findings: [inactive(offerId, offer)],
      durationMs: Math.round(performance.now() - startedAt),
    };
  }
  const result = await checkUntil(ports, { ...catalogue, offerIds: [offerId] }, facts.until);
  if (result === null)
    throw new AppError('overloaded', { detail: 'The check takes too long. Analyze the flow instead.' });
  const witness = result.witnesses.get(offerId);
  return {
    ...shown,
    verdict: verdictOf(result, offerId),
    witness: witness === undefined ? null : showWitness(witness),
    findings: result.findings.slice(0, maxFindings).map(showFinding),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

const inactive = (id: string, { name, status }: { readonly name: string; readonly status: string }): PolicyFinding => ({
  code: 'never_eligible',
  severity: 'error',
  subject: { type: 'offer', id, name, path: '/status' },
  core: [{ type: 'offer', id, name, path: '/status' }],
  repairs: [],
  message: `“${name}” is never shown: it’s ${status}.`,
});

/** Does the work with the catalogue as the overlay would leave it. */
export function inCatalogue<Result>(
  ports: CheckPorts,
  facts: RequestFacts,
  overlay: readonly OverlayChange[],
  read: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  if (overlay.length > 0) return withOverlay(ports, facts, overlay, read);
  return ports.database.withTenant(facts.tenantId, facts.actor, read, { until: facts.until, snapshot: true });
}

/** Throws 404 and 409 for flows that can't run, 422 for a draft that can't be published. */
export async function flowToCheck(
  tx: Tx,
  ports: FlowPorts,
  name: string | undefined,
  version: 'published' | 'draft' | number,
): Promise<RunnableFlow> {
  const flows = await readFlowDirectory(tx);
  const usual = flows.fallback();
  if (name === undefined && usual === null) {
    throw new AppError('flow_not_published', { detail: 'No decision flow is published.' });
  }
  if (version !== 'published') return flowVersionToTry(tx, name ?? usual!.id, version, ports);
  if (name === undefined) return usual!;
  const found = flows.find(name);
  if (found === null)
    throw new AppError('not_found', { detail: `Decision flow not found${flows.nearest(name) || '.'}` });
  if (found.runnable !== null) return found.runnable;
  throw new AppError('flow_not_published', { detail: 'The decision flow is inactive or has no published version.' });
}

/** Runs a check in turns with other work, and reports contradictions. Null: it isn't done by then (monotonic ms). */
export async function checkUntil(
  { guard, onContradiction, onError }: GuardPorts,
  input: Omit<CheckInput, 'clockAt'>,
  until: number,
): Promise<CheckResult | null> {
  const work = checkInSlices({ ...input, guard, clockAt: zoneClock });
  const turns = takeTurns();
  while (performance.now() <= until) {
    const slice = work.next();
    if (slice.done) {
      const { contradictions } = slice.value;
      if (contradictions === 0) return slice.value;
      onContradiction(contradictions);
      onError(new Error(`the checker was contradicted for ${contradictions} offers`));
      return slice.value;
    }
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  return null;
}

/** Within this many ms, a draft is checked while its sender waits. */
const draftCheckMs = 2000;
const maxDraftFindings = 100;

/** Returns what a check finds with a flow that is stored nowhere; null when it takes too long. */
export async function findingsOfFlow(ports: GuardPorts, tx: Tx, flow: RunnableFlow): Promise<PolicyFinding[] | null> {
  const until = performance.now() + draftCheckMs;
  const catalogue = await readFlowSnapshot(tx, flow);
  const customers = await readCustomerFacts(tx, catalogue);
  const result = await checkUntil(ports, { ...catalogue, ...customers, now: tx.now.getTime() }, until);
  return result === null ? null : result.findings.slice(0, maxDraftFindings).map(showFinding);
}
