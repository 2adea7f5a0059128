import type { DropReason } from '../plan/drop-reason.ts';
import type { Examination, ExaminedOffer, GateRow, Shut, Wish } from '../plan/probe.ts';
import type { Json } from '../plan/snapshot.ts';
import type { PolicyRow, QualificationRow } from '../plan/trace.ts';

interface GateNote {
  row: GateRow;
  /** Refused, let through some candidate of the offer. */
  refused: boolean;
  passed: boolean;
  always: boolean;
  final: boolean;
}

/** Reasons whose rule or policy tells more in its own row. */
const toldByRow: ReadonlySet<DropReason> = new Set(['qualification', 'contact_policy']);
/** Reasons that do not depend on the clock. */
const timeless: ReadonlySet<DropReason> = new Set(['emergency_excluded', 'excluded', 'stock', 'no_creative']);

interface Notes {
  readonly noted: Map<string, GateNote>;
  stage: string;
  nodeId: string | null;
  /** Gates of the current stage, and the last one that reported. */
  ofStage: GateNote[];
  last: GateNote | null;
}

export function createExamination(): Examination {
  const notes: Notes = { noted: new Map(), stage: '', nodeId: null, ofStage: [], last: null };
  const wishes: Wish[] = [];
  const ofScore: Wish[] = [];
  let isCandidate = false;
  return {
    enter(stage, nodeId) {
      Object.assign(notes, { stage, nodeId, ofStage: [] });
    },
    close(candidates, passed) {
      if (candidates === 0) return;
      isCandidate = true;
      if (notes.ofStage.length === 0) {
        note(notes, { status: 'passed', id: null, name: null, ruleType: null, reason: null, detail: null });
      }
      // Some candidate came through, so no gate of the stage refused the offer.
      if (passed > 0) for (const entry of notes.ofStage) entry.passed = true;
    },
    left(reason, gate) {
      if (toldByRow.has(reason)) return;
      const id = gate?.policyId ?? gate?.ruleId ?? null;
      note(
        notes,
        { status: 'blocked', id, name: reason, ruleType: null, reason, detail: gate?.detail ?? null },
        { always: timeless.has(reason), final: reason === 'emergency_excluded' },
      );
    },
    qualification: (row) => note(notes, gateOfRule(row)),
    policy: (row) => note(notes, gateOfPolicy(row)),
    shut({ always = false, final = false }) {
      if (notes.last === null) return;
      notes.last.always ||= always;
      notes.last.final ||= final;
    },
    propose: (some, lowers = false) => void (lowers ? ofScore : wishes).push(...some),
    result: (isBlocked) => ({
      ...judge([...notes.noted.values()], isBlocked),
      wishes: isBlocked ? wishes : ofScore,
      isCandidate,
    }),
  };
}

type GateVerdict = Omit<GateRow, 'stage' | 'nodeId'>;

/** Adds a verdict to those of the same gate, which is asked once per placement. */
function note(notes: Notes, verdict: GateVerdict, how: Shut = {}): void {
  const { noted, stage, nodeId } = notes;
  const row = { stage, nodeId, ...verdict };
  const key = JSON.stringify([stage, nodeId, row.id, row.ruleType, row.name]);
  const known = noted.get(key);
  const refused = row.status === 'blocked';
  const entry = known ?? { row, refused: false, passed: false, always: false, final: false };
  if (known === undefined) noted.set(key, entry);
  else if (refused && !known.refused) known.row = row;
  entry.refused ||= refused;
  entry.passed ||= !refused;
  entry.always ||= how.always ?? false;
  entry.final ||= how.final ?? false;
  notes.ofStage.push(entry);
  notes.last = entry;
}

/** A match rule that fails lowers the score and lets the offer pass. */
function gateOfRule(row: QualificationRow): GateVerdict {
  const { ruleId, ruleName, ruleType, status, stage, reason, penalty, detail } = row;
  const lowers = status === 'failed' && stage === 'match';
  return {
    status: status === 'failed' ? (lowers ? 'passed' : 'blocked') : status,
    id: ruleId,
    name: ruleName ?? 'eligibility',
    ruleType,
    reason,
    detail: lowers ? withMembers(detail, { penalty }) : detail,
  };
}

function gateOfPolicy(row: PolicyRow): GateVerdict {
  const { policyId, policyName, ruleType, status, overriddenBy, reason, detail } = row;
  return {
    status: status === 'overridden' ? 'passed' : status,
    id: policyId,
    name: policyName,
    ruleType,
    reason,
    detail: overriddenBy === null ? detail : withMembers(detail, { overriddenBy }),
  };
}

function judge(
  noted: readonly GateNote[],
  isBlocked: boolean,
): Pick<ExaminedOffer, 'gates' | 'opensByTime' | 'isFinal'> {
  // No gate refused all of its candidates, but each was refused somewhere.
  const isShared = isBlocked && !noted.some(({ refused, passed }) => refused && !passed);
  // For a ranked offer, none did: one list refused it, and it came through a called flow's.
  const refuses = (entry: GateNote): boolean => isBlocked && entry.refused && (isShared || !entry.passed);
  return {
    gates: noted.map((entry) => gateRow(entry, refuses(entry))),
    opensByTime: !noted.some((entry) => refuses(entry) && entry.always),
    isFinal: noted.some((entry) => refuses(entry) && entry.final),
  };
}

function gateRow({ row, refused, final }: GateNote, refuses: boolean): GateRow {
  if (refuses)
    return { ...row, status: 'blocked', detail: final ? withMembers(row.detail, { final: true }) : row.detail };
  return refused ? { ...row, status: 'passed', reason: null, detail: null } : row;
}

function withMembers(detail: Json, members: { readonly [key: string]: Json }): Json {
  const isObject = detail !== null && typeof detail === 'object' && !Array.isArray(detail);
  return { ...(isObject ? detail : {}), ...members };
}
