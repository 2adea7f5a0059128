// The program of a thread that searches for why-not (why-not-threads.ts). It holds plans and nothing of a request.
import { isMainThread, parentPort } from 'node:worker_threads';
import {
  compile,
  type Evidence,
  foldContacts,
  foldOutcomes,
  type ObjectiveCounts,
  type Plan,
  type Snapshot,
  type WhyNotAnswer,
  whyNot,
} from '@arbiter/engine';
import type { PackedCounts, PackedEvidence, SearchJob } from '../../features/deciding/why-not/index.ts';
import { zoneCalendar } from '../../platform/time/zone-calendar.ts';

/** To the thread: a job, with its plan if the thread has asked for it. */
export interface ToThread {
  readonly id: number;
  readonly job: SearchJob;
  readonly plan: Snapshot | null;
  /** One flag, set to 1 when no one waits for the answer any longer. */
  readonly cancelled: Int32Array<SharedArrayBuffer>;
}

export type FromThread =
  | { readonly id: number; readonly kind: 'needs-plan' }
  | { readonly id: number; readonly kind: 'found'; readonly answer: WhyNotAnswer }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string };

/** Maximum time of a search in ms, once it has its plan. */
const searchMs = 1_000;
/** Plans that a thread keeps. One of 10,000 offers takes tens of megabytes. */
const maxPlans = 4;

const plans = new Map<string, Plan>();

function planOf({ planKey }: SearchJob, snapshot: Snapshot | null): Plan | null {
  const known = plans.get(planKey) ?? (snapshot === null ? null : compile(snapshot));
  if (known === null) return null;
  // Most recently used comes last.
  plans.delete(planKey);
  plans.set(planKey, known);
  const [oldest] = plans.keys();
  if (plans.size > maxPlans && oldest !== undefined) plans.delete(oldest);
  return known;
}

function answer({ id, job, plan: snapshot, cancelled }: ToThread): FromThread {
  try {
    const plan = planOf(job, snapshot);
    return plan === null ? { id, kind: 'needs-plan' } : { id, kind: 'found', answer: search(plan, job, cancelled) };
  } catch (error) {
    return { id, kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function search(plan: Plan, job: SearchJob, cancelled: ToThread['cancelled']): WhyNotAnswer {
  const until = performance.now() + searchMs;
  const counts = job.objectiveCounts;
  const input = {
    ...job.input,
    evidence: evidenceOf(job.evidence),
    ...(counts === null ? {} : { objectiveCounts: countsOf(counts) }),
  };
  const hidden = new Set(job.hidden);
  return whyNot(plan, {
    offerId: job.offerId,
    input,
    greedy: job.greedy,
    columnHolds: ({ schemaId, column }) => job.columns[schemaId]?.[column] ?? null,
    hiddenAttributes: hidden,
    later: job.history === null ? null : laterOf(plan, input, job.history),
    shouldContinue: () => performance.now() < until && Atomics.load(cancelled, 0) === 0,
  });
}

type SearchInput = SearchJob['input'] & { readonly evidence: Evidence };

/** Returns the same question at other instants: recounts what depends on the clock and keeps the rest. */
function laterOf(plan: Plan, input: SearchInput, { contacts, outcomes }: NonNullable<SearchJob['history']>) {
  const year = new Date(input.now).getUTCFullYear();
  const calendars = new Map<string, ReturnType<typeof zoneCalendar>>();
  const clock = (zone: string, at: number) => {
    let calendar = calendars.get(zone);
    if (calendar === undefined) {
      calendar = zoneCalendar(zone, year - 1, year + 4);
      calendars.set(zone, calendar);
    }
    return calendar(at);
  };
  const { lanes } = contacts;
  return {
    timeline: {
      since: [...contacts.log.map(({ at }) => at), ...contacts.lastAt, ...outcomes.map(({ at }) => at)],
      ends: [...input.suppressions, ...contacts.reservations].map(({ expiresAt }) => expiresAt),
      clock,
    },
    inputAt(now: number) {
      const zones = Object.fromEntries(Object.keys(input.zones).map((zone) => [zone, clock(zone, now)]));
      const own = zones[plan.timezone];
      if (own === undefined) throw new Error(`the input has no clock for the time zone ${plan.timezone}`);
      const { windows, longestCooldownMs, outcomeReads } = plan;
      return {
        ...input,
        now,
        zones,
        contacts: foldContacts(contacts, windows, now, own, { longestCooldownMs, isNamed: true }),
        outcomes: outcomeReads === null ? undefined : foldOutcomes(lanes, outcomes, outcomeReads, now),
      };
    },
  };
}

const none = [0, 0] as const;

function evidenceOf({ number, global, offers, categories }: PackedEvidence): Evidence {
  return {
    number,
    global,
    offer: (id) => offers.get(id) ?? none,
    category: (id) => categories.get(id) ?? none,
  };
}

const nothingCounted = { impressions: 0, positives: 0, converts: 0, impressions7: 0 };

function countsOf({ number, impressions7, offers }: PackedCounts): ObjectiveCounts {
  return { number, impressions7, offer: (id) => offers.get(id) ?? nothingCounted };
}

if (!isMainThread) {
  parentPort?.on('message', (message: ToThread) => parentPort?.postMessage(answer(message)));
}
