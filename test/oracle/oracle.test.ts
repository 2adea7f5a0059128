import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '@arbiter/engine';
import { expected } from './oracle.ts';
import { randomWorld } from './random-world.ts';

const worlds = Number(process.env.ORACLE_WORLDS ?? 2_000);

test(`the engine decides what an oracle written from the pages decides, over ${worlds} random catalogues`, () => {
  let close = 0;
  let items = 0;
  for (let number = 0; number < worlds; number++) {
    const world = randomWorld(String(number));
    const decision = decide(world.plan, world.input, { trace: true });
    const wanted = expected(world);
    const where = `world ${number}`;
    if (wanted.isClose) {
      close += 1;
      continue;
    }
    assert.deepEqual(
      decision.items.map(({ offerId, creativeId, placementId, mandatory }) => ({
        offerId,
        creativeId,
        placementId,
        mandatory,
      })),
      wanted.items.map(({ offerId, creativeId, placementId, mandatory }) => ({
        offerId,
        creativeId,
        placementId,
        mandatory,
      })),
      where,
    );
    decision.items.forEach(({ score, selection }, at) => {
      const { score: own, probability } = wanted.items[at]!;
      assert.ok(Math.abs(score - own) < 1e-9, `${where}: item ${at + 1} has score ${score}, wanted ${own}`);
      assert.ok(Math.abs(selection.probability - probability) < 1e-9, `${where}: item ${at + 1}, probability`);
    });
    for (const { offerId, reason } of decision.trace?.dropped ?? []) {
      const known = wanted.reasons.get(offerId);
      assert.ok(known?.has(reason), `${where}: ${offerId} left for ${reason}, wanted one of ${[...(known ?? [])]}`);
    }
    items += decision.items.length;
  }
  assert.ok(close < worlds / 20, `${close} worlds stood too close to tell`);
  assert.ok(items > worlds, `only ${items} items in ${worlds} answers`);
});
