import { type DecisionTrace, type DroppedOffer, reasonText } from '@arbiter/contract';
import { type FactDraft, type FactKind, quoted, shownName } from '../../../operations/narration/index.ts';
import { gateDetail } from './gate-details.ts';
import { figure, listed } from './say.ts';

const kinds: Readonly<Partial<Record<DroppedOffer['reason'], FactKind>>> = {
  qualification: 'qualification',
  contact_policy: 'policy',
  suppressed: 'suppression',
  coupling: 'coupling',
  mandatory_cap: 'mandatory',
};

/** A blocked offer, with the gate that blocked it. */
export interface BlockedOffer {
  readonly row: DroppedOffer;
  readonly kind: FactKind;
  /** The rule or policy; null for other reasons. */
  readonly gate: { readonly id: string; readonly name: string | null } | null;
}

/** Returns the offers that didn't reach the ranking, each once, those blocked by rules and policies first. */
export function blockedOffers(trace: DecisionTrace): readonly BlockedOffer[] {
  const shown = new Set(trace.selectedOffers.map(({ offerId }) => offerId));
  const rules = new Map(trace.qualificationResults.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const policies = new Map(trace.contactPolicyResults.map(({ policyId, policyName }) => [policyId, policyName]));
  const seen = new Set<string>();
  const rows = trace.dropped.filter(({ offerId, reason }) => {
    if (reason === 'cut' || shown.has(offerId) || seen.has(offerId)) return false;
    seen.add(offerId);
    return true;
  });
  const blocked = rows.map((row): BlockedOffer => {
    const id = row.ruleId ?? row.policyId;
    const name = (row.ruleId === null ? policies.get(row.policyId ?? '') : rules.get(row.ruleId)) ?? null;
    return { row, kind: kinds[row.reason] ?? 'blocked', gate: id === null ? null : { id, name } };
  });
  return [...blocked.filter(({ gate }) => gate !== null), ...blocked.filter(({ gate }) => gate === null)];
}

/** Offers that one sentence names. */
const maxTogether = 10;

/** Returns facts about the first blocked offers, those with the same gate and detail in one, and the number of the others. */
export function gateFacts(blocked: readonly BlockedOffer[], maxNamed: number): readonly FactDraft[] {
  const groups = new Map<string, BlockedOffer[]>();
  for (const one of blocked.slice(0, maxNamed)) {
    const key = JSON.stringify([one.row.reason, one.gate, gateDetail(one.row)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const facts = [...groups.values()].flatMap((group) => chunksOf(group, maxTogether).map(groupFact));
  const others = Math.max(0, blocked.length - maxNamed);
  if (others > 0) {
    const text = `${figure(others)} more ${others === 1 ? 'offer was' : 'offers were'} blocked.`;
    facts.push({ kind: 'blocked', subject: null, value: { others }, text });
  }
  return facts;
}

const chunksOf = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size));

function groupFact(group: readonly BlockedOffer[]): FactDraft {
  const [first] = group;
  if (first === undefined) throw new Error('a group has an offer');
  const { row, kind, gate } = first;
  const offers = group.map((one) => ({ offerId: one.row.offerId, offerName: shownName(one.row.offerName) }));
  return {
    kind,
    subject: {
      type: 'gate',
      id: gate?.id ?? `${row.reason} ${row.offerId}`,
      name: gate?.name == null ? null : shownName(gate.name),
    },
    value: { offers, reason: row.reason, stage: row.stage, gateId: gate?.id ?? null, detail: row.detail },
    text: blockedText(
      row,
      gate,
      listed(offers.map(({ offerName }) => quoted(offerName))),
      group.length === 1 ? 'was' : 'were',
    ),
  };
}

function blockedText(row: DroppedOffer, gate: BlockedOffer['gate'], offers: string, was: string): string {
  const detail = gateDetail(row);
  const end = detail === null ? '.' : `: ${detail}.`;
  if (row.reason === 'suppressed') return `${offers} ${was} blocked by a suppression${end}`;
  if (gate === null && row.reason === 'qualification')
    return `${offers} ${was} blocked by eligibility of its own${end}`;
  const name = gate?.name ?? null;
  const kind = row.ruleId === null ? 'contact policy' : 'rule';
  if (gate !== null)
    return `${offers} ${was} blocked by ${name === null ? `a ${kind}` : `the ${kind} ${quoted(name)}`}${end}`;
  const { title } = reasonText(row.reason);
  return `${offers} ${was} dropped (${title.charAt(0).toLowerCase()}${title.slice(1)})${end}`;
}
