import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentProblems, metricsOf, personalizationProblems, placementProblems } from './creatives.rules.ts';

const paths = (problems: readonly { path: string }[]) => problems.map((problem) => problem.path);

describe('personalization', () => {
  it('accepts sources under the three roots', () => {
    assert.deepEqual(
      personalizationProblems([
        { variable: 'a', source: 'customer.job' },
        { variable: 'b', source: 'attributes.cart.total', fallback: 0 },
        { variable: 'c', source: 'personalization.rate' },
        { variable: 'd', source: null, fallback: 'x' },
        { variable: 'e' },
      ]),
      [],
    );
  });

  it('rejects other sources and repeated variables', () => {
    const problems = personalizationProblems([
      { variable: 'a', source: 'offer.name' },
      { variable: 'b', source: 'customer.' },
      { variable: 'c', source: 'customer' },
      { variable: 'd', source: 'customer..x' },
      { variable: 'e' },
      { variable: 'e' },
    ]);
    assert.deepEqual(paths(problems), [
      '/personalization/0/source',
      '/personalization/1/source',
      '/personalization/2/source',
      '/personalization/3/source',
      '/personalization/5/variable',
    ]);
  });
});

describe('content', () => {
  it('is at most 100 KB', () => {
    const bytes = (text: string) => Buffer.byteLength(text, 'utf8');
    assert.deepEqual(contentProblems({ body: 'x'.repeat(102_000) }, bytes), []);
    assert.deepEqual(paths(contentProblems({ body: 'x'.repeat(102_400) }, bytes)), ['/content']);
  });

  it('follows the rules of its placement', () => {
    const schema = { requiredFields: ['headline', 'imageUrl'], maxLength: { headline: 3 } };
    assert.deepEqual(placementProblems(schema, { headline: '😀😀😀', imageUrl: 'https://a' }), []);
    assert.deepEqual(paths(placementProblems(schema, { headline: 'four', imageUrl: '' })), [
      '/content/imageUrl',
      '/content/headline',
    ]);
    assert.deepEqual(placementProblems({}, {}), []);
  });
});

it('rates are percentages of impressions, to two decimals', () => {
  const counts = { impressions: 3, clicks: 1, conversions: 2, positive: 3, negative: 0 };
  assert.deepEqual(metricsOf(counts), { ...counts, ctr: 33.33, cvr: 66.67 });
  assert.deepEqual(metricsOf({ ...counts, impressions: 0 }).ctr, 0);
  assert.deepEqual(metricsOf(null).cvr, 0);
});
