import type { DropReason } from '../plan/drop-reason.ts';
import type { Examination, GateRow, Shut, Wish } from '../plan/probe.ts';
import type { Json } from '../plan/snapshot.ts';

interface Noted {
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

export function createExamination(): Examination {
  const noted = new Map<string, Noted>();
  const wishes: Wish[] = [];
  const ofScore: Wish[] = [];
  let stage = '';
  let nodeId: string | null = null;
  let ofStage: Noted[] = [];
  let last: Noted | null = null;
  let isCandidate = false;
  const note = (row: Omit<GateRow, 'stage' | 'nodeId'>, how: Shut = {}): void => {
    const key = JSON.stringify([stage, nodeId, row.id, row.ruleType, row.name]);
    const known = noted.get(key);
    const refused = row.status === 'blocked';
    const entry: Noted = known ?? {
      row: { stage, nodeId, ...row },
      refused: false,
      passed: false,
      always: false,
      final: false,
    };
    if (known === undefined) noted.set(key, entry);
    else if (refused && !known.refused) known.row = { stage, nodeId, ...row };
    entry.refused ||= refused;
    entry.passed ||= !refused;
    entry.always ||= how.always ?? false;
    entry.final ||= how.final ?? false;
    ofStage.push(entry);
    last = entry;
  };
  return {
    enter(type, id) {
      stage = type;
      nodeId = id;
      ofStage = [];
    },
    close(candidates, passed) {
      if (candidates === 0) return;
      isCandidate = true;
      if (ofStage.length === 0) {
        note({ status: 'passed', id: null, name: null, ruleType: null, reason: null, detail: null });
      }
      // Some candidate came through, so no gate of the stage refused the offer.
      if (passed > 0) for (const entry of ofStage) entry.passed = true;
    },
    left(reason, gate) {
      if (toldByRow.has(reason)) return;
      const id = gate?.policyId ?? gate?.ruleId ?? null;
      note(
        { status: 'blocked', id, name: reason, ruleType: null, reason, detail: gate?.detail ?? null },
        { always: timeless.has(reason), final: reason === 'emergency_excluded' },
      );
    },
    qualification({ ruleId, ruleName, ruleType, status, stage: of, reason, penalty, detail }) {
      // A match rule that fails lowers the score and lets the offer pass.
      const lowers = status === 'failed' && of === 'match';
      note({
        status: status === 'failed' ? (lowers ? 'passed' : 'blocked') : status,
        id: ruleId,
        name: ruleName ?? 'eligibility',
        ruleType,
        reason,
        detail: lowers ? withMembers(detail, { penalty }) : detail,
      });
    },
    policy({ policyId, policyName, ruleType, status, overriddenBy, reason, detail }) {
      note({
        status: status === 'overridden' ? 'passed' : status,
        id: policyId,
        name: policyName,
        ruleType,
        reason,
        detail: overriddenBy === null ? detail : withMembers(detail, { overriddenBy }),
      });
    },
    shut({ always = false, final = false }) {
      if (last === null) return;
      last.always ||= always;
      last.final ||= final;
    },
    propose: (some, lowers = false) => void (lowers ? ofScore : wishes).push(...some),
    result(isBlocked) {
      const all = [...noted.values()];
      const stands = (entry: Noted): boolean => entry.refused && !entry.passed;
      // No gate refused all of its candidates, but each was refused somewhere.
      const isShared = isBlocked && !all.some(stands);
      // For a ranked offer, none did: one list refused it, and it came through a called flow's.
      const refuses = (entry: Noted): boolean => isBlocked && entry.refused && (isShared || !entry.passed);
      return {
        gates: all.map((entry) => gateRow(entry, refuses(entry))),
        wishes: isBlocked ? wishes : ofScore,
        opensByTime: !all.some((entry) => refuses(entry) && entry.always),
        isFinal: all.some((entry) => refuses(entry) && entry.final),
        isCandidate,
      };
    },
  };
}

function gateRow({ row, refused, final }: Noted, refuses: boolean): GateRow {
  if (refuses)
    return { ...row, status: 'blocked', detail: final ? withMembers(row.detail, { final: true }) : row.detail };
  return refused ? { ...row, status: 'passed', reason: null, detail: null } : row;
}

function withMembers(detail: Json, members: { readonly [key: string]: Json }): Json {
  const isObject = detail !== null && typeof detail === 'object' && !Array.isArray(detail);
  return { ...(isObject ? detail : {}), ...members };
}
