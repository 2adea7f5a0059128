// Makes random decisions, with customers' responses to them.
import assert from 'node:assert/strict';
import type { RecommendAnswer } from '@arbiter/contract';
import type { Chance } from '../../packages/engine/test/corpus/chance.ts';
import type { RandomCatalogue } from './random-catalogue.ts';

/** A decision, and its customer. */
export interface Decided {
  readonly id: string;
  readonly customerId: string;
  readonly tenant: RandomCatalogue;
  /** Number of items. */
  readonly count: number;
  /** Null if it has no trace. */
  readonly traceId: string | null;
}

/** Parallel decisions of a tenant, so that they meet in batches. */
const atOnce = 8;
const outcomes = ['click', 'dismiss', 'convert', 'accept', 'impression'];

/** Makes this many decisions of a catalogue at one instant, and responds to some of them. */
export async function decideSome(chance: Chance, catalogue: RandomCatalogue, count: number): Promise<Decided[]> {
  const decided: Decided[] = [];
  for (let left = count; left > 0; left -= atOnce) {
    const questions = Array.from({ length: Math.min(left, atOnce) }, () => randomQuestion(chance, catalogue));
    const answers = await Promise.all(
      questions.map(async (question) => {
        const { status, body, text } = await catalogue.ask<RecommendAnswer>('POST', 'recommend', question);
        assert.equal(status, 200, `${JSON.stringify(question)}: ${text}`);
        assert.ok(body.recommendationId !== null, text);
        return { id: body.recommendationId, customerId: question.customerId, tenant: catalogue, answer: body };
      }),
    );
    for (const { answer, ...one } of answers) {
      decided.push({ ...one, count: answer.count, traceId: answer.trace?.traceId ?? null });
      await answerTo(chance, catalogue, answer);
    }
  }
  return decided;
}

function randomQuestion(chance: Chance, { snapshot, flows, customers }: RandomCatalogue) {
  const { channels, placements, offers, creatives } = snapshot;
  const attributes: Record<string, unknown> = {};
  if (chance.flip(0.4)) attributes.page = chance.pick(['home', 'checkout', 'a "b" <c>']);
  if (chance.flip(0.3)) attributes.first_name = chance.pick(['Änne', "O'Neil & Sons", '<i>', '']);
  if (chance.flip(0.2)) attributes.most = chance.int(0, 100);
  // Beyond 4 KB a record stores only the attributes that were read.
  if (chance.flip(0.03)) attributes.long = 'ü'.repeat(3_000);
  if (chance.flip(0.25)) {
    attributes.propensityScores = Object.fromEntries(
      chance.some(offers, 0.4).map(({ id }) => [id, chance.pick([0.91, 0.2, 0, 1])]),
    );
  }
  const question = {
    customerId: chance.pick(customers),
    decisionFlowKey: chance.pick(flows),
    ...(chance.flip(0.6) ? { limit: chance.int(1, 10) } : {}),
    ...(chance.flip(0.3) ? { context: { page: chance.pick(['x', 'y']), n: chance.int(0, 9) / 4 } } : {}),
    ...(chance.flip(0.2) ? { segments: [chance.pick(['vip', 'churned', 'card'])] } : {}),
    attributes,
    ...(chance.flip(0.4) ? { locale: chance.pick(['de-DE', 'en']) } : {}),
    ...(chance.flip(0.3) ? { currency: 'EUR' } : {}),
    ...(chance.flip(0.15) ? { excludeOffers: chance.some(offers, 0.3).map(({ id }) => id) } : {}),
    ...(chance.flip(0.15) ? { excludeCreatives: chance.some(creatives, 0.3).map(({ id }) => id) } : {}),
  };
  const kind = chance.pick(['channel', 'channelId', 'placement', 'placements', 'placements', 'none']);
  if (kind === 'channel') return { ...question, channel: chance.pick(channels).channelType };
  if (kind === 'channelId') return { ...question, channelId: chance.pick(channels).id };
  if (kind === 'placement') return { ...question, placement: chance.pick(placements).id };
  const wanted = chance.some(placements, 0.7);
  if (kind === 'none' || wanted.length === 0) return question;
  return {
    ...question,
    placements: wanted.map(({ id }) => ({ placementId: id, ...(chance.flip(0.4) ? { limit: chance.int(1, 3) } : {}) })),
    deduplicate: chance.flip(0.5),
  };
}

async function answerTo(chance: Chance, { ask }: RandomCatalogue, answer: RecommendAnswer): Promise<void> {
  if (answer.count === 0 || chance.flip(0.5)) return;
  const body = {
    recommendationId: answer.recommendationId,
    rank: chance.int(1, Math.min(3, answer.count)),
    outcome: chance.pick(outcomes),
    ...(chance.flip(0.3) ? { conversionValue: chance.int(0, 10_000) / 100 } : {}),
  };
  const { status, text } = await ask('POST', 'respond', body);
  assert.equal(status, 200, `${JSON.stringify(body)}: ${text}`);
}
