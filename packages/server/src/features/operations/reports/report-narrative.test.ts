import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LanguageModel } from '../../../platform/llm/language-model.ts';
import { checkSentences, type Fact, llmWriter, type Sentence, templateWriter } from '../narration/index.ts';
import { templateNarrative } from '../report-rendering/index.ts';
import { businessWeek, documentOf, hostileTexts, sectionOf } from '../report-rendering/test-documents.ts';
import { reportFacts, writeReportNarrative } from './report-narrative.ts';

/** Reports have the same writers as decisions: the template, or a language model that is checked. */

function playing(say: (facts: readonly Fact[]) => unknown): LanguageModel & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'test-model',
    asked,
    async ask({ data }) {
      asked.push(data);
      const { facts } = JSON.parse(data) as { facts: readonly Fact[] };
      return { text: JSON.stringify(say(facts)), tokens: { input: 1, output: 1 } };
    },
  };
}
const repeat = (facts: readonly Fact[]): Sentence[] =>
  facts
    .filter((_, at) => at % 3 === 0)
    .slice(0, 8)
    .map(({ id, text }) => ({ text, facts: [id] }));

test('the template writes what it wrote without facts', async () => {
  const document = businessWeek();
  assert.deepEqual(await writeReportNarrative(templateWriter, document, null), templateNarrative(document, null));
});

test("a model's sentences go to the sections of their facts", async () => {
  const document = businessWeek();
  const model = playing(repeat);
  const { sectionNarratives, executiveSummary } = await writeReportNarrative(llmWriter(model), document, 'conversions');
  const facts = reportFacts(document, 'conversions');
  const said = repeat(facts);
  assert.ok(said.length > 0);
  for (const { text, facts: ids } of said) {
    const sectionId = facts.find(({ id }) => id === ids[0])?.subject?.id;
    assert.ok(sectionNarratives.find((one) => one.sectionId === sectionId)?.narrative.includes(text), text);
  }
  assert.ok(executiveSummary.length > 0);
  assert.equal((JSON.parse(model.asked[0] ?? '') as { focus: string }).focus, 'conversions');
});

test('a model that lies or fails leaves the text to the template', async () => {
  const document = businessWeek();
  const expected = templateNarrative(document, null);
  const lies: ((facts: readonly Fact[]) => unknown)[] = [
    (facts) => [...repeat(facts), { text: 'Revenue doubled.', facts: ['f1'] }],
    () => ({ executiveSummary: 'All is well.' }),
    (facts) => repeat(facts).map(({ text, facts: ids }) => ({ text: text.replace(/\d/g, '7'), facts: ids })),
  ];
  for (const lie of lies)
    assert.deepEqual(await writeReportNarrative(llmWriter(playing(lie)), document, null), expected);
});

test('every fact of hostile reports supports its own text', () => {
  for (const text of hostileTexts) {
    const section = sectionOf({
      title: text,
      rows: [
        { offer: text, impressions: 7 },
        { offer: 'b', impressions: 2 },
      ],
    });
    for (const fact of reportFacts(documentOf([section], { name: text }), text)) {
      const sentence = { text: fact.text, facts: [fact.id] };
      assert.deepEqual(checkSentences('report', [fact], [sentence]), [], fact.text);
    }
  }
});
