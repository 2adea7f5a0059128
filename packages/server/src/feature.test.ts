import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { type Feature, feature, jobsOf, operationsOf } from './feature.ts';
import { event, handleJob, job } from './jobs/index.ts';

const answer = async () => null;
const nothing = Type.Object({}, { additionalProperties: false });
const work = (name: string) => handleJob(job({ name, payload: nothing }), async () => undefined);
const sung = event({ type: 'bird.sung.v1', payload: nothing });

const birds = feature({
  name: 'birds',
  tables: ['birds'],
  events: [sung],
  operations: ({ song }: { readonly song: string }) => [[`birds.${song}`, answer]],
  jobs: ({ pace }: { readonly pace: string }) => [work(`birds.${pace}`)],
});

/** Adds a second feature to the birds and starts. */
const start = (other: Feature) => {
  const features = [birds, other];
  operationsOf(features, { song: 'sing' });
  jobsOf(features, { pace: 'fly' });
};

test('operations and jobs of all features, made with the ports they need', () => {
  const plants = feature({ name: 'plants', operations: () => [['plants.list', answer]] });
  assert.deepEqual([...operationsOf([birds, plants], { song: 'sing' }).keys()], ['birds.sing', 'plants.list']);
  assert.deepEqual(
    jobsOf([birds, plants], { pace: 'fly' }).map(({ job: { name } }) => name),
    ['birds.fly'],
  );
});

test('rejects a name, table, event, operation or job with two owners, and names both', () => {
  start(feature({ name: 'plants' }));
  const refused = (parts: Parameters<typeof feature>[0], what: string, other = 'plants') =>
    assert.throws(
      () => start(feature(parts)),
      new Error(`The ${what} is declared more than once: by the features birds and ${other}.`),
    );
  refused({ name: 'birds' }, 'name birds', 'birds');
  refused({ name: 'plants', tables: ['plants', 'birds'] }, 'table birds');
  refused({ name: 'plants', events: [sung] }, 'event bird.sung.v1');
  refused({ name: 'plants', operations: () => [['birds.sing', answer]] }, 'operation birds.sing');
  refused({ name: 'plants', jobs: () => [work('birds.fly')] }, 'job birds.fly');
  const twice = feature({ name: 'plants', jobs: () => [work('plants.grow'), work('plants.grow')] });
  assert.throws(() => start(twice), /The job plants\.grow is declared more than once/);
});
