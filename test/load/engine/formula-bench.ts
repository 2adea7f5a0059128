/**
 * Nanoseconds per evaluation of formulas, conditions, templates and the engine's own functions. Not gated:
 * `node test/load/engine/formula-bench.ts`, and read the numbers next to those of the same machine.
 */
import {
  canonicalJson,
  compileCondition,
  compileConditionList,
  compileFormula,
  compileTemplate,
  emptyScope,
  exp,
  h32,
  ln,
  pow,
  round6,
  stream,
} from '@arbiter/engine';

const ROUNDS = 7;

/** The quickest of some rounds: what else the machine does only makes a round slower. */
function measure(name: string, iterations: number, run: (index: number) => unknown): void {
  let best = Number.POSITIVE_INFINITY;
  let kept: unknown = null;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let index = 0; index < iterations; index++) kept = run(index);
    best = Math.min(best, ((performance.now() - start) * 1e6) / iterations);
  }
  console.log(`${best.toFixed(1).padStart(9)} ns  ${name}${kept === undefined ? ' (nothing)' : ''}`);
}

const scope = emptyScope();
scope.customer = { age: 30, name: 'Ada', tags: ['vip', 'card'], preferred_channel: 'email', balance: 1250.5 };
scope.offer = { margin: 2.5, priority: 70, name: 'Gold card', businessValue: 80 };
scope.score = { total: 0.5, propensity: 0.3, relevance: 1, impact: 0.7, emphasis: 0.7, fitMultiplier: 1, rank: 1 };
scope.attributes = { channel_preference: 'sms' };
scope.now = 1_800_000_000_000;

for (const source of [
  '1 + 2',
  'customer.age > 18',
  'score.total * 1.2',
  'offer.margin * 2 + score.total',
  'score.total * (1 + offer.margin / 100)',
  'if(customer.age > 18 && offer.priority >= 50, score.total * 1.2, score.total)',
  'round(score.total * 100, 2)',
  'concat("Hello ", customer.name)',
  'coalesce(customer.absent, 1)',
  'contains(customer.tags, "card")',
]) {
  const compiled = compileFormula(source);
  if (!compiled.ok) throw new Error(source);
  const { formula } = compiled;
  measure(source, 500_000, () => formula.evaluate(scope));
}

const group = compileCondition({
  all: [
    { field: 'age', operator: 'gte', value: 18 },
    { field: 'preferred_channel', operator: 'in', value: ['email', 'push'] },
  ],
});
if (!group.ok) throw new Error('condition');
measure('condition: two leaves', 500_000, () => group.condition.test(scope));
const list = compileConditionList([{ field: 'customer.name', operator: 'regex', value: '^[A-Z][a-z]+$' }]);
if (!list.ok) throw new Error('list');
measure('condition: regex, same text', 500_000, () => list.condition.test(scope));

const template = compileTemplate(
  { subject: 'Hi {name}', body: 'Dear {{name|customer}}, {offer.name} is for you', ctaUrl: 'https://x.test/?n={name}' },
  [],
  'email_html',
);
measure('template: three texts, four tokens', 50_000, () => template.render(scope, {}));

measure('pow', 500_000, (index) => pow(0.2 + (index & 1023) / 1024, 0.4));
measure('exp', 500_000, (index) => exp((index & 1023) / 256));
measure('ln', 500_000, (index) => ln(0.1 + (index & 1023) / 256));
measure('round6', 500_000, (index) => round6((index & 1023) / 1021));
measure('h32 of 80 characters', 500_000, () =>
  h32('creative:018f0000-0000-7000-8000-000000000000:C1:018f0000-0000-7000-8000-0000000'),
);
const uniform = stream('0'.repeat(32), 'bench');
measure('uniform', 500_000, () => uniform());
const record = {
  items: Array.from({ length: 5 }, (_, rank) => ({ rank, offerId: 'abc', score: 0.25 * rank, name: 'x' })),
};
measure('canonicalJson of five small items', 20_000, () => canonicalJson(record));
