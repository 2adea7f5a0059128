import { parseInstant } from '@arbiter/engine';
import type { TestExpectations, TestGiven, TestNote } from './decision-test.ts';

/** Returns what keeps a test from ever passing, or from ever failing, whatever the flow does. */
export function testProblems(given: TestGiven, expect: TestExpectations): TestNote[] {
  return [...timeProblems(given), ...expectationProblems(expect)];
}

function timeProblems({ now, contacts = [] }: TestGiven): TestNote[] {
  const at = parseInstant(now);
  if (at === null) return [{ path: '/given/now', message: 'must be a date and time with a zone' }];
  return contacts.flatMap((contact, position) => {
    const path = `/given/contacts/${position}/at`;
    const time = parseInstant(contact.at);
    if (time === null) return [{ path, message: 'must be a date and time with a zone' }];
    return time > at ? [{ path, message: 'must not be after given.now' }] : [];
  });
}

function expectationProblems(expect: TestExpectations): TestNote[] {
  const found: TestNote[] = [];
  const { includes = [], excludes = [], order = [], first, count, emptyReason, probability = {} } = expect;
  if (Object.values(expect).every((value) => value === undefined)) {
    return [{ path: '/expect', message: 'must have at least one expectation' }];
  }
  const present = new Set([
    ...includes,
    ...order,
    ...Object.keys(probability),
    ...(first === undefined ? [] : [first]),
  ]);
  for (const [at, { offer }] of excludes.entries()) {
    if (present.has(offer)) {
      found.push({ path: `/expect/excludes/${at}/offer`, message: 'is also expected in the answer' });
    }
  }
  if (emptyReason !== undefined && (present.size > 0 || (count ?? 0) > 0)) {
    found.push({ path: '/expect/emptyReason', message: 'contradicts an answer with items' });
  }
  if (count !== undefined && count < present.size) {
    found.push({ path: '/expect/count', message: `must be at least ${present.size}, the number of expected offers` });
  }
  if (first !== undefined && order.indexOf(first) > 0) {
    found.push({ path: '/expect/first', message: 'is not the first of `order`' });
  }
  for (const [offer, [low = 0, high = 1]] of Object.entries(probability)) {
    if (low > high) found.push({ path: `/expect/probability/${pointerStep(offer)}`, message: 'must not fall' });
  }
  return found;
}

/** A name as a step of a JSON Pointer. */
export const pointerStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
