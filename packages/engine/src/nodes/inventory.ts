import { readIds, readList, readWord } from '../config-values.ts';
import { type Candidate, mandatoryOrigin } from '../plan/candidate.ts';
import type { OfferBudget, PlanOffer, Schedule } from '../plan/offer.ts';
import type { Run } from '../plan/run.ts';
import { budgetGate, budgetReached } from '../policies/offer-budget.ts';
import { offerCapReached } from '../policies/offer-caps.ts';
import { reserve, takeCandidate } from '../scratch.ts';
import { leave } from '../stages/candidates.ts';
import { closeStage, keepExamined, recordDrop } from '../stages/close-stage.ts';
import { alterPriority, isExamined } from '../why-not/probe.ts';
import { boolean, ids, listOf, oneOf } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const scopeWords = ['all', 'category', 'subcategory', 'offers', 'manual'] as const;

/** Decides which offers are candidates (docs/design/api-decisioning.md 8; gates of docs/design/api-catalogue.md 6). */
export const inventory: NodeKind = {
  type: 'inventory',
  phase: 1,
  single: true,
  keys: {
    scope: oneOf(scopeWords),
    categoryIds: ids(500, 'category'),
    subCategoryIds: ids(500, 'subCategory'),
    offerIds: ids(5000, 'offer'),
    includeStatuses: listOf(['draft', 'active', 'paused']),
    autoInclude: boolean,
  },
  required: [],
  step(node, { builder, offers }) {
    const config = node.config ?? {};
    const scope = readWord(config.scope, scopeWords) ?? 'all';
    const wanted = new Set(
      scope === 'category'
        ? readIds(config.categoryIds)
        : scope === 'subcategory'
          ? readIds(config.subCategoryIds)
          : readIds(config.offerIds),
    );
    const statuses = new Set(readList(config.includeStatuses) ?? ['active']);
    const included = offers.filter(({ row }) => {
      if (!statuses.has(row.status)) return false;
      if (scope === 'all') return true;
      if (scope === 'category') return row.categoryId !== null && wanted.has(row.categoryId);
      if (scope === 'subcategory') return row.subCategoryId !== null && wanted.has(row.subCategoryId);
      return wanted.has(row.id);
    });
    // Read in a row: with thousands of offers each offer that is looked into is a cache miss.
    const gated = Uint8Array.from(included, (offer) => (offer.gated ? 1 : 0));
    for (const { schedule } of offers) if (schedule !== null) builder.zone(schedule.zone);
    return {
      type: 'inventory',
      nodeId: node.id,
      run: (run) =>
        run.origin === 0 ? collect(run, included, gated, node.id) : collectCalled(run, included, gated, node.id),
    };
  },
};

function collect(run: Run, included: readonly PlanOffer[], gated: Uint8Array, nodeId: string): void {
  const { request, program, scratch, now } = run;
  const excluded = request.excludeOffers.length === 0 ? null : new Set(request.excludeOffers);
  const { list } = scratch;
  const only = run.probe?.alone === true ? run.probe.offerId : null;
  // Mandatory offers come after the others, so that those find their places as the last decision left them.
  run.poolUsed = included.length;
  for (const offer of program.mandatoryOffers) {
    if (!isForced(offer, now) || (only !== null && offer.id !== only)) continue;
    reserve(scratch, run.poolUsed + 1, offer);
    const candidate = takeCandidate(scratch, run.poolUsed, offer);
    candidate.origin = mandatoryOrigin;
    run.poolUsed += 1;
    gate(run, candidate, excluded);
    if (run.probe !== null) keepExamined(run, [candidate]);
    if (candidate.reason === null) run.mandatory.push(candidate);
    else recordDrop(run, candidate, 'mandatory', null);
  }
  run.after.mandatory = run.mandatory.length;
  if (included.length > 0) reserve(scratch, included.length, included[0]!);
  // Allocate once: growing the array would copy it over and over.
  list.length = included.length;
  let count = 0;
  for (let at = 0; at < included.length; at++) {
    const offer = included[at]!;
    if (only !== null && offer.id !== only) continue;
    // Inactive offers appear only in rehearsals; one on the mandatory list has no normal copy.
    const asks = gated[at] === 1;
    if (asks && ((offer.row.status !== 'active' && !request.dryRun) || isForced(offer, now))) continue;
    const candidate = takeCandidate(scratch, at, offer);
    if (asks || excluded !== null) gate(run, candidate, excluded);
    list[count] = candidate;
    count += 1;
  }
  list.length = count;
  run.list = list;
  run.offerCount = count;
  if (run.probe !== null) alterPriority(run, run.probe);
  closeStage(run, 'inventory', nodeId);
  run.after.inventory = run.offerCount;
}

/** The list of a called flow that runs as a whole: behind the candidates in use, and without a mandatory list of its own. */
function collectCalled(run: Run, included: readonly PlanOffer[], gated: Uint8Array, nodeId: string): void {
  const { request, scratch, now } = run;
  const excluded = request.excludeOffers.length === 0 ? null : new Set(request.excludeOffers);
  const list: Candidate[] = [];
  for (const [at, offer] of included.entries()) {
    const asks = gated[at] === 1;
    if (asks && ((offer.row.status !== 'active' && !request.dryRun) || isForced(offer, now))) continue;
    reserve(scratch, run.poolUsed + 1, offer);
    const candidate = takeCandidate(scratch, run.poolUsed, offer);
    run.poolUsed += 1;
    candidate.origin = run.origin;
    if (asks || excluded !== null) gate(run, candidate, excluded);
    list.push(candidate);
  }
  run.list = list;
  run.offerCount = list.length;
  closeStage(run, 'inventory', nodeId);
  run.after.inventory = run.offerCount;
}

/** An active mandatory offer is forced until `mandatoryExpiresAt` (docs/design/quality.md E19). */
function isForced({ row }: PlanOffer, now: number): boolean {
  return row.mandatory && row.status === 'active' && (row.mandatoryExpiresAt === null || now < row.mandatoryExpiresAt);
}

function gate(run: Run, candidate: Candidate, excluded: ReadonlySet<string> | null): void {
  const { row, schedule, budget, caps } = candidate.offer;
  // The first reason is enough, unless all must be reported.
  const shouldContinue = run.probe !== null && isExamined(run, candidate);
  if (row.emergencyExcluded) {
    leave(run, candidate, 'emergency_excluded');
    if (!shouldContinue) return;
  }
  if (excluded?.has(row.id)) {
    leave(run, candidate, 'excluded');
    if (!shouldContinue) return;
  }
  if (schedule !== null) askSchedule(run, candidate, schedule);
  if (budget !== null) askBudget(run, candidate, budget);
  if (row.tracksStock === true && run.soldOut?.has(row.id)) leave(run, candidate, 'stock');
  if (caps === null || (candidate.reason !== null && !shouldContinue)) return;
  const reached = offerCapReached(run, candidate.ordinal, caps, 0);
  if (reached !== null) leave(run, candidate, 'offer_frequency_cap', run.trace === null ? null : reached);
}

function askBudget(run: Run, candidate: Candidate, budget: OfferBudget): void {
  const cause = budgetReached(run, budget);
  if (cause !== null) leave(run, candidate, 'budget', run.trace === null ? null : budgetGate(cause));
}

function askSchedule(run: Run, candidate: Candidate, schedule: Schedule): void {
  const clock = run.input.zones[schedule.zone];
  const cause = clock === undefined ? 'unreadable' : schedule.closed(run.now, clock);
  if (cause === null) return;
  leave(run, candidate, 'schedule', run.trace === null ? null : { ruleId: null, policyId: null, detail: { cause } });
}
