import type {
  CompiledPolicy,
  Json,
  PlanCreative,
  PlanOffer,
  ScopeAssignment,
  Snapshot,
  SnapshotPolicy,
  SnapshotRule,
} from '@arbiter/engine';
import { always, anyOf, type FixedParts, type Formula, formulaOf, member, negate, never, unknown } from './formula.ts';
import { policyFormula } from './policy-gates.ts';
import { eligibilityFormula, ruleFormula } from './rule-gates.ts';
import { type CheckInput, changeNode, changeOffer, type Gate, type Subject } from './subject.ts';
import { scheduleLimit, windowLimit } from './times.ts';
import { nodeSubject, type Way, type WayNode } from './ways.ts';

/** One way to be shown: a way through the flow with one creative, or none. */
export interface Passage {
  readonly way: Way;
  readonly creative: PlanCreative | null;
  readonly gates: readonly Gate[];
}

/** What the gates of all offers are read from. */
export interface GateSource {
  readonly input: CheckInput;
  readonly rules: ReadonlyMap<string, SnapshotRule>;
  readonly policies: ReadonlyMap<string, SnapshotPolicy>;
  /** Formulas that are the same for each offer and creative. */
  readonly shared: Map<string, Formula>;
}

export function gateSource(input: CheckInput): GateSource {
  const { rules, policies } = input.snapshot;
  return {
    input,
    rules: new Map(rules.map((rule) => [rule.id, rule])),
    policies: new Map(policies.map((policy) => [policy.id, policy])),
    shared: new Map(),
  };
}

/** True while the offer is on the mandatory list, which skips qualification and what can be lifted. */
const isForced = ({ row }: PlanOffer, now: number): boolean =>
  row.mandatory && row.status === 'active' && (row.mandatoryExpiresAt === null || now < row.mandatoryExpiresAt);

const idsIn = (value: Json | undefined): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.map((one: Json) => String(one).toLowerCase()) : []);

/** Returns every way in which the offer may be shown, with its gates in order. */
export function passagesOf(source: GateSource, offer: PlanOffer, ways: readonly Way[]): Passage[] {
  const { now } = source.input;
  const forced = isForced(offer, now);
  return ways.flatMap((way) => {
    // What a called flow brings meets its gates, not these.
    if (way.isOpen) return [{ way, creative: null, gates: ownGates(source, offer) }];
    const match = way.nodes.find(({ node }) => node.type === 'match_creatives');
    const usable = offer.creatives.filter((creative) => isUsable(creative, match));
    const needsCreative = match !== undefined && match.node.config?.requireCreative !== false;
    const creatives: (PlanCreative | null)[] = needsCreative ? usable : [...usable, null];
    if (creatives.length === 0) return [{ way, creative: null, gates: [noCreativeGate(offer)] }];
    return creatives.map((creative) => ({
      way,
      creative,
      gates: [
        ...ownGates(source, offer),
        ...placementGates(source, creative),
        ...(forced ? forcedGates(source, offer, creative, way) : listGates(source, offer, creative, way)),
      ],
    }));
  });
}

function isUsable({ weight, row }: PlanCreative, match: WayNode | undefined): boolean {
  const channels = idsIn(match?.node.config?.channelIds);
  return weight > 0 && (channels.size === 0 || channels.has(row.channelId));
}

const offerSubject = ({ row }: PlanOffer, path: string): Subject => ({
  type: 'offer',
  id: row.id,
  name: row.name,
  path,
});

const gate = (key: string, subject: Subject, parts: Partial<Pick<Gate, 'formula' | 'time' | 'without'>>): Gate => ({
  formula: always,
  time: null,
  without: null,
  ...subject,
  key,
  ...parts,
});

export const noCreativeKey = 'creative';
const noCreativeGate = (offer: PlanOffer): Gate => gate(noCreativeKey, offerSubject(offer, ''), { formula: never });

/** What the offer itself asks, wherever it comes from. */
function ownGates({ input }: GateSource, offer: PlanOffer): Gate[] {
  const { row, schedule, budget, caps } = offer;
  const found: Gate[] = [];
  const add = (key: string, path: string, parts: Partial<Gate>): void => {
    found.push(gate(key, offerSubject(offer, path), parts));
  };
  if (row.emergencyExcluded) {
    add('excluded', '/emergencyExcluded', {
      formula: never,
      without: changeOffer(row.id, { emergencyExcluded: false }),
    });
  }
  if (schedule !== null) {
    const limit = scheduleLimit(offer, input.snapshot.tenant.timezone);
    const clock = input.clockAt(schedule.zone, input.now);
    const isUnreadable = schedule.closed(input.now, clock) === 'unreadable';
    add('schedule', '/schedule', {
      ...(isUnreadable ? { formula: never } : { time: limit }),
      without: changeOffer(row.id, { schedule: null }),
    });
  }
  const isZero =
    budget?.unreadable === true || budget?.limits.some(({ max, nextCents }) => max <= 0 || nextCents > max);
  if (isZero === true) add('budget', '/budget', { formula: never, without: withoutBudget(row.id) });
  if (row.tracksStock === true && input.soldOut?.includes(row.id) === true) {
    add('stock', '/stock', { formula: never, without: withoutStock(row.id) });
  }
  if (caps !== null && (caps.unreadable || caps.limits.some(({ limit }) => limit.max === 0))) {
    add('caps', '/frequencyCaps', { formula: never, without: withoutCaps(row.id) });
  }
  return found;
}

const without =
  (key: 'budget' | 'tracksStock' | 'frequencyCaps') =>
  (id: string) =>
  (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    offers: snapshot.offers.map((offer) => {
      if (offer.id !== id) return offer;
      const { [key]: _removed, ...rest } = offer;
      return rest;
    }),
  });
const withoutBudget = without('budget');
const withoutStock = without('tracksStock');
const withoutCaps = without('frequencyCaps');

/** The targeting of the placement that the creative is bound to. */
function placementGates({ input }: GateSource, creative: PlanCreative | null): Gate[] {
  const id = creative?.row.placementId ?? null;
  const placement = id === null ? undefined : input.snapshot.placements.find((one) => one.id === id);
  if (placement?.targeting === undefined || placement.targeting === null) return [];
  const formula = formulaOf({ condition: placement.targeting }, { offer: null, channel: null, creative: null });
  const subject: Subject = { type: 'placement', id: placement.id, name: placement.name, path: '/targeting' };
  const withoutTargeting = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    placements: snapshot.placements.map((one) => (one.id === placement.id ? { ...one, targeting: null } : one)),
  });
  return [gate(`placement ${placement.id}`, subject, { formula, without: withoutTargeting })];
}

const fixedBy = (offer: PlanOffer, creative: PlanCreative | null, isMatched: boolean): FixedParts => ({
  offer: offer.computed.length > 0 ? null : offer.view,
  channel: isMatched && creative !== null ? creative.channelView : null,
  creative: isMatched && creative !== null ? creative.view : null,
});

/** Gates of offers that come by the inventory, in the order of the nodes. */
function listGates(source: GateSource, offer: PlanOffer, creative: PlanCreative | null, way: Way): Gate[] {
  const matchedAt = way.nodes.findIndex(({ node }) => node.type === 'match_creatives');
  const found = way.conditions.map(({ source: place, formula, side }) =>
    gate(`node ${place.node.id} ${side}`, nodeSubject(place, '/config/conditions'), { formula }),
  );
  const fixed = fixedBy(offer, creative, true);
  const types = new Set(way.nodes.map(({ node }) => node.type));
  for (const [at, place] of way.nodes.entries()) {
    const { node } = place;
    if (node.type === 'inventory' && !isIncluded(place, offer)) {
      found.push(
        gate(`node ${node.id}`, nodeSubject(place, '/config'), {
          formula: never,
          without: changeNode(node.id, { scope: 'all' }),
        }),
      );
    }
    if (node.type === 'filter')
      found.push(...filterGates(place, fixedBy(offer, creative, matchedAt !== -1 && matchedAt < at)));
    if (node.type === 'qualify') found.push(...qualifyGates(source, place, offer, creative, fixed));
  }
  if (!types.has('qualify')) found.push(...qualifyGates(source, null, offer, creative, fixed));
  found.push(...policyGates(source, offer, creative, way, false));
  if (way.dropsAt !== null)
    found.push(gate(`drop ${way.dropsAt.node.id}`, nodeSubject(way.dropsAt, '/config'), { formula: never }));
  return found;
}

function isIncluded({ node }: WayNode, { row }: PlanOffer): boolean {
  const { scope, includeStatuses, categoryIds, subCategoryIds, offerIds } = node.config ?? {};
  const statuses = Array.isArray(includeStatuses) ? includeStatuses : ['active'];
  // Other statuses appear in rehearsals only.
  if (!statuses.includes(row.status) || row.status !== 'active') return false;
  if (scope === 'category') return row.categoryId !== null && idsIn(categoryIds).has(row.categoryId);
  if (scope === 'subcategory') return row.subCategoryId !== null && idsIn(subCategoryIds).has(row.subCategoryId);
  return scope === 'offers' || scope === 'manual' ? idsIn(offerIds).has(row.id) : true;
}

function filterGates(place: WayNode, fixed: FixedParts): Gate[] {
  const { conditions, combinator } = place.node.config ?? {};
  const formula = formulaOf({ list: conditions, combinator: combinator === 'OR' ? 'OR' : 'AND' }, fixed);
  if (formula === always) return [];
  const change = changeNode(place.node.id, { conditions: [] });
  return [gate(`node ${place.node.id}`, nodeSubject(place, '/config/conditions'), { formula, without: change })];
}

function qualifyGates(
  source: GateSource,
  place: WayNode | null,
  offer: PlanOffer,
  creative: PlanCreative | null,
  fixed: FixedParts,
): Gate[] {
  const config = place?.node.config ?? {};
  const selected = config.mode === 'selected' ? idsIn(config.ruleIds) : null;
  const stages = Array.isArray(config.stages) ? config.stages : ['eligibility', 'fit', 'match'];
  const found: Gate[] = [];
  const { eligibility } = offer.row;
  if (eligibility !== null) {
    const formula = offer.eligibility === null ? always : eligibilityFormula(eligibility, fixed);
    if (formula !== always) {
      found.push(
        gate('eligibility', offerSubject(offer, '/eligibility'), {
          formula,
          without: changeOffer(offer.row.id, { eligibility: null }),
        }),
      );
    }
  }
  for (const rule of source.rules.values()) {
    if (rule.stage === 'match' || rule.stage === 'ranking' || !stages.includes(rule.stage)) continue;
    if (selected !== null && !selected.has(rule.id)) continue;
    const scope = scopeFormula(rule.scopes, offer, creative);
    if (scope === never) continue;
    const formula = sharedFormula(source, `rule ${rule.id}`, rule, () => ruleFormula(rule, fixed));
    const whole = scope === always ? formula : anyOf([negate(scope), formula]);
    const subject: Subject = { type: 'qualificationRule', id: rule.id, name: rule.name, path: '/config' };
    found.push(
      gate(`rule ${rule.id}`, subject, {
        formula: whole,
        without: (snapshot) => ({ ...snapshot, rules: snapshot.rules.filter(({ id }) => id !== rule.id) }),
      }),
    );
  }
  return found;
}

/** A formula without values of offer or channel is read once. */
function sharedFormula(
  { shared }: GateSource,
  key: string,
  row: SnapshotRule | SnapshotPolicy,
  read: () => Formula,
): Formula {
  const known = shared.get(key);
  if (known !== undefined) return known;
  const formula = read();
  if (!/"(offer|channel|creative)\./.test(JSON.stringify(row.config)) && row.ruleType !== 'offer_attribute')
    shared.set(key, formula);
  return formula;
}

/** Whether candidates are in scope: always, never, or for members of segments. */
function scopeFormula(scopes: readonly ScopeAssignment[], { row }: PlanOffer, creative: PlanCreative | null): Formula {
  const segments: Formula[] = [];
  for (const { scope, scopeId } of scopes) {
    if (scope === 'global') return always;
    if (scope === 'offer' && scopeId === row.id) return always;
    if (scope === 'category' && scopeId === row.categoryId) return always;
    if (scope === 'subcategory' && scopeId === row.subCategoryId) return always;
    if (scope === 'creative' && creative !== null && scopeId === creative.row.id) return always;
    if (scope === 'channel' && creative !== null && scopeId === creative.row.channelId) return always;
    if (scope === 'placement' && creative !== null && scopeId === creative.row.placementId) return always;
    if (scope === 'segment' && scopeId !== null) segments.push(member(scopeId));
  }
  return segments.length === 0 ? never : anyOf(segments);
}

function forcedGates(source: GateSource, offer: PlanOffer, creative: PlanCreative | null, way: Way): Gate[] {
  const branches = way.conditions.map(({ source: place, formula, side }) =>
    gate(`node ${place.node.id} ${side}`, nodeSubject(place, '/config/conditions'), { formula }),
  );
  return [...branches, ...policyGates(source, offer, creative, way, true)];
}

/** The stages of a way that ask policies, with what each asks. */
export function askedPolicies(way: Way, policies: readonly CompiledPolicy[]): readonly (readonly CompiledPolicy[])[] {
  const filtered = new Set<CompiledPolicy>();
  const stages: CompiledPolicy[][] = [];
  for (const { node } of way.nodes) {
    if (node.type !== 'filter') continue;
    const wanted = idsIn(node.config?.contactPolicyIds);
    const own = policies.filter((policy) => wanted.has(policy.id) && policy.scope.all && !filtered.has(policy));
    for (const policy of own) filtered.add(policy);
    if (own.length > 0) stages.push(own);
  }
  const nodes = way.nodes.filter(({ node }) => node.type === 'contact_policy');
  for (const config of nodes.length === 0 ? [{}] : nodes.map(({ node }): FlowConfig => node.config ?? {})) {
    const selected = config.mode === 'selected' ? idsIn(config.policyIds) : null;
    const isAsked = (policy: CompiledPolicy): boolean =>
      selected === null || selected.has(policy.id) || policy.ruleType === 'do_not_contact' || !policy.bypassable;
    stages.push(policies.filter((policy) => !filtered.has(policy) && isAsked(policy)));
  }
  return stages;
}

type FlowConfig = { readonly mode?: Json; readonly policyIds?: Json };

function policyGates(
  source: GateSource,
  offer: PlanOffer,
  creative: PlanCreative | null,
  way: Way,
  ofMandatory: boolean,
): Gate[] {
  const { snapshot, plan } = source.input;
  const fixed = fixedBy(offer, creative, true);
  const inScope = (policy: SnapshotPolicy): boolean => scopeFormula(policy.scopes, offer, creative) === always;
  const found: Gate[] = [];
  for (const asked of askedPolicies(way, plan.program.policies)) {
    const isLifted = asked.some(
      ({ id, ruleType }) => ruleType === 'allow_override' && inScope(source.policies.get(id)!),
    );
    for (const compiled of asked) {
      const policy = source.policies.get(compiled.id)!;
      const isFinal = compiled.behaviour.final || !compiled.bypassable;
      if ((isLifted && !isFinal) || compiled.ruleType === 'mutual_exclusion' || !inScope(policy)) continue;
      if (ofMandatory && !compiled.behaviour.bindsMandatory && compiled.bypassable) continue;
      const isWindow = policy.ruleType === 'time_window';
      const time = isWindow ? windowLimit(policy.config, snapshot.tenant.timezone) : null;
      const usual = sharedFormula(source, `policy ${policy.id}`, policy, () => policyFormula(policy, fixed));
      const formula = isWindow && usual !== never ? (time === null ? unknown : always) : usual;
      if (formula === always && time === null) continue;
      const subject: Subject = { type: 'contactPolicy', id: policy.id, name: policy.name, path: '/config' };
      const isSeen = found.some(({ key }) => key === `policy ${policy.id}`);
      if (!isSeen)
        found.push(
          gate(`policy ${policy.id}`, subject, {
            formula,
            time,
            without: (given) => ({ ...given, policies: given.policies.filter(({ id }) => id !== policy.id) }),
          }),
        );
    }
  }
  return found;
}
