import { type JsonObject, readConfig } from '../compile/config-problems.ts';
import type { Scope } from '../compile/scopes.ts';
import type { Candidate, Run } from '../run.ts';
import { bucketOf, type CountedSet, foldLanes, type Per, perWords } from './counted-set.ts';
import type { PolicyKind } from './policy-kind.ts';

const hourMs = 3_600_000;

/** No contact within `cooldownHours` of the latest contact of the counted set; exactly that long ago passes. */
export const cooldown: PolicyKind = {
  ruleType: 'cooldown',
  check(config) {
    const { problems, cooldownHours } = parse(config);
    return cooldownHours === undefined && problems.length === 0
      ? [{ path: '/cooldownHours', message: 'is required' }]
      : problems;
  },
  compile(policy, scope, position) {
    const { cooldownHours = 0, per } = parse(policy.config);
    const runsStill = (run: Run, at: number): boolean => run.now - at < cooldownHours * hourMs;
    const latestOf = (run: Run): CountedSet => {
      const known = run.counted[position];
      if (known !== undefined) return known;
      const { lanes } = run;
      const matters = (lane: number): boolean => runsStill(run, lanes.lastAt[lane]!);
      const counted = foldLanes(lanes, scope, per, [Number.NEGATIVE_INFINITY], matters, (latest, lane) => {
        latest[0] = Math.max(latest[0]!, lanes.lastAt[lane]!);
        return true;
      });
      run.counted[position] = counted;
      return counted;
    };
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: per === 'creative' || per === 'channel',
      reach: (run) => latestOf(run).reach,
      blocks: (run, candidate) => latestContact(latestOf(run), candidate, scope, per) !== null,
      explain(run, candidate) {
        const latest = latestContact(latestOf(run), candidate, scope, per);
        // Two decimals, rounded down: 36,000 ms are a hundredth of an hour.
        const hoursSinceLast = latest === null ? 0 : Math.floor((run.now - latest.at) / 36_000) / 100;
        return {
          reason: `cooldown active: ${hoursSinceLast} of ${cooldownHours} h at scope=${latest?.word ?? 'global'}`,
          detail: { cooldownHours, hoursSinceLast },
        };
      },
      take: null,
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const cooldownHours = reader.number('cooldownHours', 0, 87_600);
  const per: Per = reader.word('per', perWords) ?? 'scope';
  reader.flag('bypassable');
  return { cooldownHours, per, problems: reader.problems };
}

/** The latest contact whose cooldown is running. */
function latestContact(
  counted: CountedSet,
  candidate: Candidate,
  scope: Scope,
  per: Per,
): { readonly at: number; readonly word: string } | null {
  const bucket = bucketOf(per, candidate);
  let at = Number.NEGATIVE_INFINITY;
  let word = '';
  for (let a = 0; a < scope.assignments.length; a++) {
    const assignment = scope.assignments[a]!;
    if (!assignment.matches(candidate)) continue;
    const latest = counted.buckets[a]!.get(bucket)?.[0];
    if (latest === undefined || latest <= at) continue;
    at = latest;
    word = assignment.word;
  }
  return word === '' ? null : { at, word };
}
