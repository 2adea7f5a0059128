import type { PlanOffer } from '@arbiter/engine';
import { checkConditions, checkMandatory, checkRules } from './check-conditions.ts';
import { checkEmpty, checkStructure } from './check-flow.ts';
import {
  checkContent,
  checkCreatives,
  explainNever,
  judgeOffers,
  type OfferContext,
  type OfferVerdict,
} from './check-offers.ts';
import { checkCapBounds, checkPolicies } from './check-policies.ts';
import { checkCoupling, checkExploration, checkOutranked, checkReferences } from './check-references.ts';
import type { Coverage, Finding, Severity } from './findings.ts';
import { leavesIn } from './formula.ts';
import { checkKnownTexts } from './known-texts.ts';
import { gateSource, type Passage, passagesOf } from './offer-gates.ts';
import { policyReadings } from './policy-gates.ts';
import { ruleReadings } from './rule-gates.ts';
import { createSolver, type Solver } from './solver.ts';
import type { CheckInput } from './subject.ts';
import { valueTypes } from './value-types.ts';
import { nodeReadings, waysOf } from './ways.ts';
import type { Witness } from './witness.ts';

export interface CheckResult {
  readonly findings: readonly Finding[];
  readonly coverage: Coverage;
  /** Offers that were returned to a generated customer although no customer should get them: a fault of the checker. */
  readonly contradictions: number;
  readonly witnesses: ReadonlyMap<string, Witness>;
}

/** Offers that are explained. More are counted only. */
const maxExplained = 200;

/**
 * Checks a flow with its catalogue (docs/design/lead.md 5): which offers no customer, request and instant can get, and
 * what in it has no effect. A finding about an offer is a proof; the absence of one isn't.
 */
export function checkCatalogue(input: CheckInput): CheckResult {
  const work = checkInSlices(input);
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

/** The same in small pieces, so that the caller can do something else in between, or stop. */
export function* checkInSlices(input: CheckInput): Generator<void, CheckResult> {
  const { snapshot, plan, now } = input;
  const source = gateSource(input);
  const solver = createSolver(valueTypes(snapshot, plan), now);
  const ways = waysOf(snapshot);
  const wanted = input.offerIds === undefined ? null : new Set(input.offerIds);
  const offers = plan.program.offers.filter(
    ({ id, row }) => row.status === 'active' && (wanted === null || wanted.has(id)),
  );
  const passages = new Map<PlanOffer, readonly Passage[]>(
    offers.map((offer) => [offer, passagesOf(source, offer, ways ?? [])]),
  );
  for (const own of passages.values())
    for (const { gates } of own) for (const { formula } of gates) solver.note(formula);
  const context: OfferContext = { source, ways, solver };
  const { verdicts, contradictions } = yield* judgeOffers(context, passages);
  const findings: Finding[] = [];
  const inFlow = verdicts.filter((each) => wanted !== null || !isLeftOut(each, solver));
  const nevers = inFlow.filter(({ verdict }) => verdict === 'never');
  for (const verdict of nevers.slice(0, maxExplained)) findings.push(...(yield* explainNever(context, verdict)));
  for (const verdict of inFlow) {
    if (verdict.verdict === 'shown') findings.push(...(yield* checkCreatives(context, verdict)));
    findings.push(...checkContent(verdict.offer));
  }
  if (wanted === null) findings.push(...(yield* checkWhole(context, verdicts)));
  return {
    findings: findings.toSorted(bySeverity),
    coverage: coverageOf(input, inFlow),
    contradictions,
    witnesses: new Map(
      verdicts.flatMap(({ offer, witness }) => (witness === null ? [] : [[offer.id, witness] as const])),
    ),
  };
}

/** Offers that the flow's nodes leave out by what the offer is: the flow is about others. */
const isLeftOut = ({ passages }: OfferVerdict, solver: Solver): boolean =>
  passages.length > 0 &&
  passages.every(({ gates }) =>
    gates.some(
      ({ type, formula, without }) =>
        type === 'flowNode' &&
        without !== null &&
        leavesIn(formula).next().done &&
        solver.solve([formula]).verdict === 'never',
    ),
  );

function* checkWhole(
  { source: { input }, ways, solver }: OfferContext,
  verdicts: readonly OfferVerdict[],
): Generator<void, Finding[]> {
  const nevers = new Set(verdicts.filter(({ verdict }) => verdict === 'never').map(({ offer }) => offer.id));
  const offers = verdicts.map(({ offer }) => offer);
  const checks: readonly (() => readonly Finding[])[] = [
    () => checkStructure(input.snapshot, ways ?? [], solver),
    () => checkEmpty(input, verdicts, solver),
    () => checkConditions(input, solver),
    () => checkRules(input, solver),
    () => checkPolicies(input, ways ?? []),
    () => checkCapBounds(input),
    () => checkKnownTexts(input),
    () => checkReferences(input),
    () => checkExploration(input),
    () => checkCoupling(input, verdicts),
    () => checkOutranked(input, verdicts),
    () => checkMandatory(input, nevers, offers),
  ];
  const found: Finding[] = [];
  for (const check of checks) {
    yield;
    found.push(...check());
  }
  return found;
}

const rank: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };
const bySeverity = (a: Finding, b: Finding): number => rank[a.severity] - rank[b.severity];

/** Types whose result is known to no check, and those that it doesn't know at all. */
function coverageOf({ snapshot }: CheckInput, verdicts: readonly OfferVerdict[]): Coverage {
  const unread = new Map<string, number>();
  const note = (type: string): void => void unread.set(type, (unread.get(type) ?? 0) + 1);
  const guesses = new Set(['propensity_threshold', 'metric_condition']);
  for (const { type, enabled, config = {} } of snapshot.flow.config.nodes) {
    const mayDrop =
      type === 'score'
        ? Boolean(config.minScore) || Boolean(config.minPropensity)
        : type === 'enrich'
          ? config.onMissing === 'drop'
          : true;
    const reading = nodeReadings[type];
    if (enabled !== false && mayDrop && (reading === undefined || reading === 'unknown')) note(`node:${type}`);
  }
  for (const { ruleType } of snapshot.rules)
    if (ruleReadings[ruleType] === undefined || guesses.has(ruleType)) note(`rule:${ruleType}`);
  for (const { ruleType } of snapshot.policies)
    if (policyReadings[ruleType] === undefined || guesses.has(ruleType)) note(`policy:${ruleType}`);
  const unknown = verdicts.filter(({ verdict }) => verdict === 'unknown').length;
  return {
    offers: verdicts.length,
    proved: verdicts.length - unknown,
    unknown,
    unread: [...unread].map(([type, count]) => ({ type, count })).toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  };
}
