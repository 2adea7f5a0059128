// Freezes what the engine decides today: `node tools/freeze-corpus.ts`, see packages/engine/corpus/README.md.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { compile, type Decision, type DecisionItem, decide, engineVersion } from '@arbiter/engine';
import { chanceOf } from '../packages/engine/test/corpus/chance.ts';
import { randomExternal, withBranches } from '../packages/engine/test/corpus/random-branches.ts';
import { randomInput } from '../packages/engine/test/corpus/random-input.ts';
import { randomModelInput, withModels } from '../packages/engine/test/corpus/random-models.ts';
import { randomSnapshot } from '../packages/engine/test/corpus/random-plan.ts';
import { resultText, unpackInput } from '../packages/engine/test/corpus/record.ts';
import { zoneClock, zoneOffsets } from '../packages/server/src/platform/time/zones.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const plans = 100;
const decisionsPerPlan = 20;
const seed = `corpus of engine ${engineVersion}`;
const lines: string[] = [];
const seen = new Map<string, number>();
const see = (what: string) => void seen.set(what, (seen.get(what) ?? 0) + 1);

for (let number = 0; number < plans; number++) {
  const chance = chanceOf(seed, `plan ${number}`);
  const straight = randomSnapshot(chance, zoneOffsets);
  const branching = number % 2 === 0 ? straight : withBranches(chance, straight);
  const snapshot = number % 3 === 0 ? withModels(chance, branching) : branching;
  const plan = compile(snapshot);
  lines.push(JSON.stringify({ plan: snapshot }));
  see(`rank ${plan.program.rank.method.name}`);
  for (const { ruleType } of [...snapshot.rules, ...snapshot.policies]) see(`gate ${ruleType}`);
  if (snapshot.joins !== undefined) see('joins');
  for (const { type } of snapshot.flow.config.nodes) see(`node ${type}`);
  for (const { type } of plan.models) see(`model ${type}`);
  for (let at = 0; at < decisionsPerPlan; at++) {
    const external = randomExternal(chance, snapshot, plan);
    const input = {
      ...randomInput(chance, snapshot, plan, number * decisionsPerPlan + at, zoneClock),
      ...(external === undefined ? {} : { external }),
      ...randomModelInput(chance, snapshot, plan, hashOf),
    };
    lines.push(`{"input":${JSON.stringify(input)},"result":${resultText(plan, input)}}`);
    note(decide(plan, unpackInput(input)));
  }
}

/** Lists what the corpus covers. */
function note(decision: Decision): void {
  for (const reason of Object.keys(decision.summary.droppedByReason)) see(`dropped ${reason}`);
  if (decision.emptyReason !== null) see(`empty ${decision.emptyReason}`);
  if (decision.variant !== null) see(`variant ${decision.variant.variant}`);
  for (const { variant } of decision.assignment.called ?? []) see(`called ${variant}`);
  if (decision.controlGroup) see('holdout');
  if (decision.placementResults !== null) see('placement results');
  if (decision.summary.computeErrors > 0) see('compute errors');
  decision.items.forEach(noteItem);
}

function noteItem({ selection, propensitySource, effect, mandatory }: DecisionItem): void {
  see(`picked by ${selection.method}`);
  if (selection.explored) see('explored');
  see(`propensity ${propensitySource}`);
  see(mandatory ? 'mandatory' : effect);
}

const text = `${lines.join('\n')}\n`;
const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
const file = new URL(`../packages/engine/corpus/engine-${engineVersion}.jsonl.br`, import.meta.url);
await writeFile(file, packed);
console.log(
  [...seen]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `${what}: ${count}`)
    .join('\n'),
);
console.log(`${plans * decisionsPerPlan} decisions, ${text.length} characters, ${packed.length} bytes packed`);
