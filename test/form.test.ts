import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { isInTurn, shareOf, sized } from './form.ts';

describe('the form of a test', () => {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of ['TEST_FORM', 'TEST_TURN', 'TEST_FORM_SIZE']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  const names = Array.from({ length: 300 }, (_, at) => `/offers/${at}`);
  const takenAt = (turn: number) => {
    process.env.TEST_TURN = String(turn);
    return names.filter((name) => isInTurn(name, 3));
  };

  it('takes each item in exactly one of successive turns, and about the same number in each', () => {
    delete process.env.TEST_FORM;
    const turns = [7, 8, 9].map(takenAt);
    assert.deepEqual(turns.flat().toSorted(), names.toSorted());
    for (const turn of turns) assert.ok(turn.length > 60 && turn.length < 140, String(turn.length));
  });

  it('spreads a list over successive turns', () => {
    delete process.env.TEST_FORM;
    const items = ['a', 'b', 'c', 'd', 'e'];
    const taken = [7, 8].map((turn) => {
      process.env.TEST_TURN = String(turn);
      return shareOf(items, 'letters', 2);
    });
    assert.deepEqual(taken.flat().toSorted(), items);
  });

  it('takes everything in the long form', () => {
    process.env.TEST_FORM = 'long';
    assert.deepEqual(takenAt(7), names);
    assert.deepEqual(shareOf(names, 'all', 3), names);
    assert.equal(sized('TEST_FORM_SIZE', { short: 1, long: 9 }), 9);
  });

  it('lets a variable of the suite override its size', () => {
    process.env.TEST_FORM = 'long';
    process.env.TEST_FORM_SIZE = '4';
    assert.equal(sized('TEST_FORM_SIZE', { short: 1, long: 9 }), 4);
  });
});
