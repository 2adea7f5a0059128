import { compile, type PlanOffer, type Snapshot } from '@arbiter/engine';
import { type Finding, type FindingCode, finding, listed, quoted, type Repair, subjectOf } from './findings.ts';
import { contradicts } from './guard.ts';
import { type GateSource, noCreativeKey, type Passage, passagesOf } from './offer-gates.ts';
import type { Solver } from './solver.ts';
import type { CheckInput, Gate, Subject } from './subject.ts';
import { closedBy, conflictsOf, gatesOf, judgePassage } from './verdicts.ts';
import { type Way, waysOf } from './ways.ts';
import { findWitness, type Witness } from './witness.ts';

/** Facts about one offer. */
export interface OfferVerdict {
  readonly offer: PlanOffer;
  readonly passages: readonly Passage[];
  /** `shown`: with a witness. */
  readonly verdict: 'never' | 'shown' | 'unknown';
  readonly witness: Witness | null;
}

/** Ways and solver are made for the source's plan, with every gate noted. */
export interface OfferContext {
  readonly source: GateSource;
  readonly ways: readonly Way[] | null;
  readonly solver: Solver;
}

/** Judges offers, and attacks every "never" with generated customers. */
export function* judgeOffers(
  { source, solver }: OfferContext,
  passages: ReadonlyMap<PlanOffer, readonly Passage[]>,
): Generator<void, { readonly contradictions: number; readonly verdicts: readonly OfferVerdict[] }> {
  const { input } = source;
  const ids = input.plan.program.offers.map(({ id }) => id);
  const verdicts: OfferVerdict[] = [];
  for (const [offer, own] of passages) {
    yield;
    const judged = own.map((passage) => ({ ...passage, ...judgePassage(passage.gates, solver, input) }));
    if (own.length > 0 && judged.every(({ verdict }) => verdict === 'never')) {
      verdicts.push({ offer, passages: own, verdict: 'never', witness: null });
      continue;
    }
    const others = ids.filter((id) => id !== offer.id);
    let witness: Witness | null = null;
    for (const passage of judged) {
      if (passage.verdict !== 'possible') continue;
      const channelId = passage.creative?.row.channelId ?? null;
      witness = findWitness(input, input.plan, solver, { ...passage, offerId: offer.id, channelId, others });
      if (witness !== null) break;
    }
    verdicts.push({ offer, passages: own, verdict: witness === null ? 'unknown' : 'shown', witness });
  }
  const nevers = verdicts.filter(({ verdict }) => verdict === 'never').map(({ offer }) => offer);
  const contradicted = yield* (input.guard ?? contradicts)(input, solver, nevers);
  return {
    contradictions: contradicted.size,
    verdicts: verdicts.map((each) =>
      contradicted.has(each.offer.id) ? { ...each, verdict: 'unknown' as const } : each,
    ),
  };
}

const ownCodes: Readonly<Record<string, FindingCode>> = { budget: 'budget_zero', stock: 'stock_zero' };

/** Returns why an offer is never shown. */
export function* explainNever(context: OfferContext, { offer, passages }: OfferVerdict): Generator<void, Finding[]> {
  const { source, solver } = context;
  const { input } = source;
  const subject: Subject = { type: 'offer', id: offer.id, name: offer.row.name, path: '' };
  const delivery = deliveryFinding(input, offer, subject);
  const gates = gatesOf(passages);
  if (delivery !== null && passages.every(({ gates: own }) => own.some(({ key }) => key === noCreativeKey)))
    return [delivery];
  const isClosed = closedBy(passages, solver, input);
  const { cores, repairs } = yield* conflictsOf([...gates.keys()], isClosed);
  const verified = repairs.flatMap(
    (keys) =>
      verifiedRepair(
        context,
        offer,
        keys.map((key) => gates.get(key)!),
      ) ?? [],
  );
  return cores.map((keys) => {
    const core = keys.map((key) => gates.get(key)!);
    const own = verified.filter(({ keys: away }) => keys.some((key) => away.includes(key)));
    const more = { core: core.map(subjectOf), repairs: own.map(({ repair }) => repair) };
    return neverFinding(input, offer, subject, core, more);
  });
}

function neverFinding(
  input: CheckInput,
  offer: PlanOffer,
  subject: Subject,
  core: readonly Gate[],
  more: { readonly core: readonly Subject[]; readonly repairs: readonly Repair[] },
): Finding {
  const [only, ...others] = core;
  const name = quoted(offer.row.name);
  if (only === undefined) return finding('never_eligible', subject, `${name} is never shown.`, more);
  if (others.length > 0) {
    return finding('gates_exclude', subject, `${name} is never shown: ${listed(core)} exclude each other.`, more);
  }
  const code = ownCodes[only.key];
  if (code === 'budget_zero')
    return finding(
      code,
      { ...subject, path: '/budget' },
      `${name} is never shown: its budget allows no impression.`,
      more,
    );
  if (code === 'stock_zero')
    return finding(code, { ...subject, path: '/stock' }, `${name} is never shown: it has no stock left.`, more);
  if (only.key === 'schedule') {
    const clock = input.clockAt(offer.schedule!.zone, input.now);
    const isOver = offer.schedule!.closed(input.now, clock) === 'ended';
    const at = { ...subject, path: '/schedule' };
    if (isOver) return finding('schedule_over', at, `${name} is never shown again: its schedule has ended.`, more);
    return finding('schedule_empty', at, `${name} is never shown: its schedule never opens.`, more);
  }
  return finding('never_eligible', subject, `${name} is never shown: no customer passes ${listed(core)}.`, more);
}

/** Without creatives to show, no repair of gates helps. */
function deliveryFinding({ snapshot }: CheckInput, offer: PlanOffer, subject: Subject): Finding | null {
  const rows = snapshot.creatives.filter(({ offerId, weight }) => offerId === offer.id && weight > 0);
  const name = quoted(offer.row.name);
  if (rows.length === 0)
    return finding('no_creative', subject, `${name} has no active creative, and the flow requires one.`);
  const channels = new Set(snapshot.channels.map(({ id }) => id));
  if (rows.every(({ channelId }) => !channels.has(channelId))) {
    return finding('no_channel', subject, `No channel of ${name}’s creatives is active.`);
  }
  const placements = new Set(snapshot.placements.map(({ id }) => id));
  if (rows.every(({ placementId }) => placementId !== null && !placements.has(placementId))) {
    return finding('no_placement', subject, `No placement of ${name}’s creatives is active.`);
  }
  return finding('no_channel', subject, `The flow uses none of the channels that ${name} has creatives for.`);
}

/** Compiles the offer without these gates and decides; null when it isn't returned, or nothing can be changed. */
function verifiedRepair(context: OfferContext, offer: PlanOffer, away: readonly Gate[]) {
  if (away.length === 0 || away.some(({ without }) => without === null)) return null;
  const { input } = context.source;
  const alone = { ...input.snapshot, offers: input.snapshot.offers.filter(({ id }) => id === offer.id) };
  const snapshot = away.reduce<Snapshot>((given, { without }) => without?.(given) ?? given, alone);
  const plan = compile(snapshot);
  const keys = away.map(({ key }) => key);
  const repaired = { ...input, snapshot, plan };
  const source: GateSource = {
    ...context.source,
    input: repaired,
    rules: new Map(snapshot.rules.map((rule) => [rule.id, rule])),
    policies: new Map(snapshot.policies.map((policy) => [policy.id, policy])),
  };
  const [own] = plan.program.offers;
  const ways = waysOf(snapshot);
  if (own === undefined || ways === null) return null;
  for (const passage of passagesOf(source, own, ways)) {
    const gates = passage.gates.filter(({ key }) => !keys.includes(key));
    const judged = judgePassage(gates, context.solver, repaired);
    if (judged.verdict !== 'possible') continue;
    const channelId = passage.creative?.row.channelId ?? null;
    const witness = findWitness(repaired, plan, context.solver, {
      offerId: offer.id,
      channelId,
      gates,
      branch: judged.branch,
      others: [],
    });
    if (witness !== null) return { keys, repair: { without: away.map(subjectOf), witness } };
  }
  return null;
}

/** Creatives that nobody sees, of offers that are shown by others. */
export function* checkCreatives(
  { source, solver }: OfferContext,
  { offer, passages }: OfferVerdict,
): Generator<void, Finding[]> {
  const { input } = source;
  const found: Finding[] = [];
  for (const { row } of offer.creatives) {
    const own = passages.filter(({ creative }) => creative?.row.id === row.id);
    if (own.length === 0 || own.some(({ gates }) => judgePassage(gates, solver, input).verdict !== 'never')) continue;
    const gates = gatesOf(own);
    const { cores } = yield* conflictsOf([...gates.keys()], closedBy(own, solver, input));
    const core = (cores[0] ?? []).map((key) => gates.get(key)!);
    const subject: Subject = { type: 'creative', id: row.id, name: row.name, path: '' };
    const code = core.length === 1 ? 'never_eligible' : 'gates_exclude';
    const message = `The creative ${quoted(row.name)} is never shown: no customer passes ${listed(core)}.`;
    found.push(finding(code, subject, message, { core: core.map(subjectOf) }));
  }
  return found;
}

/** Content that isn't published shows the creative's own content, which may be nothing. */
export function checkContent({ creatives }: PlanOffer): Finding[] {
  return creatives.flatMap(({ row, item }) => {
    if (row.contentItemId === undefined || item !== null || Object.keys(row.content).length > 0) return [];
    const subject: Subject = { type: 'creative', id: row.id, name: row.name, path: '/contentItemId' };
    return [
      finding(
        'content_unpublished',
        subject,
        `The creative ${quoted(row.name)} is empty: its content isn’t published.`,
      ),
    ];
  });
}
